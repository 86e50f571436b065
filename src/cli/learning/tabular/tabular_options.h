// The arguments of haplospin tabular: the program declares and parses them (tabular_options.cpp), and
// libhaplospin_torch reads the tables that they name (tabular_input.cpp).
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_options.h"
#include "cli/options/training_options.h"
#include "learning/tables/table_reader.h"
#include "learning/tabular/tabular_training_options.h"

namespace haplospin {

// The options that describe the form of a CSV file.
struct CsvOptions {
  std::string separator = "auto";
  bool no_header = false;
  std::string decimal = "auto";
  std::vector<std::string> missing;

  void Declare(CommandOptions& options);
  CsvFormat Format() const;
};

class TabularOptions {
 public:
  std::string model = "auto";  // "auto", "gp" or the architecture of the networks
  std::string data;
  TableChoices choices;
  CsvOptions csv;
  std::string preset = "auto";

  // `name` is the command as the user gave it: "tabular", or a model.
  void DeclareInput(CommandOptions& options, const std::string& name);
  void DeclareTraining(CommandOptions& options);
  void DeclareOutput(CommandOptions& options, const std::string& out_help);

  // Called after Parse(), by a command with DeclareOutput().
  void FinishTraining() { PrepareTraining(given_); }
  uint64_t seed() const { return given_.seed; }
  const TrainingOptions& common() const { return given_; }

  // Reads the table and logs the types of its columns. Throws InputError if a class has only one row.
  // Columns that are named in `marks` are kept even where all their values are equal.
  Table Read(const std::vector<std::string>& marks) const;

  // Returns whether the model has networks.
  bool TrainsNetworks() const { return model != "auto" && model != "gp"; }

  // Returns the settings for the table; called after Parse(), in libhaplospin_torch. Throws InputError where options
  // contradict each other.
  TabularTrainingOptions Training(const CommandOptions& options, const Table& table) const;

 private:
  TabularTrainingOptions NetworkTraining(const CommandOptions& options, const Table& table) const;

  TabularTrainingOptions given_;
};

// Sets LibTorch's threads for learning from the table: one for a small one, where more would wait for each other longer
// than they work.
void SetThreadsFor(const Table& table);

// Warns about columns that give a target away.
void WarnAboutDeterminingColumns(const Table& table, const std::vector<std::string>& targets);

// Removes a column that is not a feature from the table. Throws InputError if it does not exist.
Column TakeColumn(Table& table, const std::string& name, const std::string& option);

// The rows in which a column of 0 and 1 has a 1. Throws InputError, naming line and option, for other values.
std::vector<size_t> MarkedRows(const Table& table, const Column& column, const std::string& option);

// Returns "hopular train" for the command line {"hopular", "train", ...}.
inline std::string CommandName(const Arguments& arguments) { return arguments.at(0) + " " + arguments.at(1); }

struct TabularTrainArguments {
  TabularOptions tabular;
  bool encode = false;
  std::string validation_column;
};

// The input and output of the command, with a model and without.
struct TablePredictionArguments {
  std::string data, out = "-", context, id;
  std::vector<double> quantiles;  // quantiles in the predictions
  CsvOptions csv;
};

// The options of predictions without a model.
struct DirectPrediction {
  TableChoices choices;  // targets and types of columns
  std::vector<std::string> quantiles;
  uint64_t seed = 1;

  void Declare(CommandOptions& options);

  // Throws InputError where neither a model nor a context with targets is given, or both.
  void Check(const std::string& model, const std::string& context) const;

  std::vector<double> Quantiles() const;
};

struct TabularPredictArguments {
  std::string name;  // the command as the user gave it: "tabular", or a model
  std::string model_path, device_text = "cpu";
  TablePredictionArguments predict;
  DirectPrediction direct;
};

struct FoldOptions {
  int folds = 5;
  std::string fold_column;
  std::vector<std::string> test_columns;
};

struct TabularEvaluateArguments {
  TabularOptions tabular;
  FoldOptions folds;
  std::string json, html;
  int64_t explain = 0;
};

// The commands after parsing. `options` tells which options were given; `command_line` begins with "tabular" or the
// name of a model.
void RunTabularTrain(TabularTrainArguments arguments, const CommandOptions& options, const Arguments& command_line);
void RunTabularPredict(const TabularPredictArguments& arguments);
void RunTabularEvaluate(const TabularEvaluateArguments& arguments, const CommandOptions& options,
                        const Arguments& command_line);

}  // namespace haplospin
