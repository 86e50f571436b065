// The arguments of haplospin np: the program parses them, and functions in libhaplospin_torch use them.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_options.h"
#include "models/neural_process/process_options.h"
#include "processes/process_arguments.h"

namespace haplospin {

// "a,b,c" -> its parts; "" -> none.
std::vector<std::string> SplitList(const std::string& text);

// The roles of the columns of a table.
struct ColumnArguments {
  std::string x = "x", y = "y", group;

  void Declare(CommandOptions& options, bool for_training);
  PointColumns Columns() const;
};

// The predictor of np predict and np evaluate.
struct PredictorArguments {
  PredictorOptions predictor;
  std::string gp_kernel = "se";

  // `model` is fixed by a short form such as te-tnp; "": an option.
  void Declare(CommandOptions& options, const std::string& model, bool with_oracle);
};

// The source of the tasks of np train and np evaluate.
struct TaskArguments {
  std::string task = "gp";
  // gp
  std::string setting = "te-tnp", kernels, lengthscale, scale, noise, context, targets, context_x, target_x;
  int64_t inputs = 1;
  double shift = 0;
  bool bimodal = false, standardize = false;
  // csv
  std::string data, share;
  ColumnArguments columns;
  double hold_out = 0.2;
  int64_t max_points = 512;

  void Declare(CommandOptions& options, bool for_training);

  // The number of inputs that the options ask for.
  size_t Inputs() const;

  // The file that the tasks are made of, or the name of what is simulated.
  std::string Source() const;

 private:
  void DeclareGp(CommandOptions& options);
};

struct NpTrainArguments {
  ProcessOptions model;
  std::string noise = "auto";
  bool no_location_updates = false, mean_pseudo_locations = false;
  int64_t block_mb = 64;
  TaskArguments tasks;
  ProcessTraining training;
  std::string schedule = "cosine";
};

struct NpPredictArguments {
  PredictorArguments predictor;
  ColumnArguments columns;
  std::string context, targets, out, plot, quantiles = "0.05,0.5,0.95";
  int64_t grid = 200, samples = 0;
  uint64_t seed = 1;

  void Declare(CommandOptions& options, const std::string& model);
};

struct NpEvaluateArguments {
  PredictorArguments predictor;
  TaskArguments tasks;
  int64_t batches = 50, batch = 16;
  uint64_t seed = 1;
  std::string report, json;

  void Declare(CommandOptions& options, const std::string& model);
};

// The commands after parsing. `options` tells which options were given, `command_line` is for the provenance.
void RunNpTrain(NpTrainArguments arguments, const CommandOptions& options, const Arguments& command_line);
void RunNpPredict(const NpPredictArguments& arguments, const CommandOptions& options);
void RunNpEvaluate(const NpEvaluateArguments& arguments, const CommandOptions& options, const Arguments& command_line);

}  // namespace haplospin
