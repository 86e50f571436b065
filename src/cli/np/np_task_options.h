// The options of np train and np evaluate that say where tasks come from.
#pragma once

#include <memory>
#include <string>

#include "cli/np/np_options.h"
#include "cli/options/command_options.h"
#include "processes/process_model.h"
#include "processes/task_source.h"

namespace haplospin {

// The options of the source of tasks.
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
