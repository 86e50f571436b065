// Options that the np commands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/command_options.h"
#include "processes/point_table.h"
#include "processes/process_predictor.h"
#include "processes/task_source.h"

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
  PredictorOptions Options() const;
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

  // The tasks to train on, or to test on. `model` gives the scaling of its training data (null: none yet). Throws
  // InputError if options do not belong to the task.
  std::unique_ptr<TaskSource> MakeSource(const CommandOptions& options, bool for_training,
                                         const ProcessModel* model) const;

  // The number of inputs that the options ask for.
  size_t Inputs() const;

  // The file that the tasks are made of, or the name of what is simulated.
  std::string Source() const;

 private:
  void CheckGiven(const CommandOptions& options) const;
  void DeclareGp(CommandOptions& options);
  std::unique_ptr<TaskSource> MakeCsvTasks(const CommandOptions& options, bool for_training,
                                           const ProcessModel* model) const;
};

}  // namespace haplospin
