// Options that the np commands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/command_options.h"
#include "models/neural_process/process_options.h"
#include "processes/csv_tasks.h"
#include "processes/process_model.h"
#include "processes/task_source.h"

namespace haplospin {

// "a,b,c" -> its parts; "" -> none.
std::vector<std::string> SplitList(const std::string& text);

// "LOW,HIGH", or one number for both. Throws InputError, naming the option.
RealRange ParseRealRange(const std::string& text, const std::string& option);
IntegerRange ParseIntegerRange(const std::string& text, const std::string& option);

// Which columns of a table are what.
struct ColumnArguments {
  std::string x = "x", y = "y", group;

  void Declare(CommandOptions& options, bool with_defaults);
  PointColumns Columns() const;
};

// Where tasks come from.
struct TaskArguments {
  std::string task = "gp";
  // gp
  std::string setting = "te-tnp", kernels, lengthscale, scale, context, targets, context_x, target_x;
  double noise = 0, shift = 0;
  bool bimodal = false;
  // image, kolmogorov
  std::string images, flow, share;
  int64_t downsample = 1, region = 16, most_targets = 0;
  bool no_translation = false;
  // csv
  std::string data;
  ColumnArguments columns;
  double hold_out = 0.2;
  int64_t most_points = 512;

  void Declare(CommandOptions& options, bool for_training);

  // The tasks to train on, or to test on. `model` gives the scaling of its training data (null: none yet). Throws
  // InputError where options do not belong to the task.
  std::unique_ptr<TaskSource> MakeSource(const CommandOptions& options, bool for_training,
                                         const ProcessModel* model) const;

  // The file that the tasks are made of, or the name of what is simulated.
  std::string Source() const;

 private:
  void CheckGiven(const CommandOptions& options) const;
};

// The default weights of a model. Throws InputError where none are shipped.
std::string ShippedWeights(const std::string& model);

}  // namespace haplospin
