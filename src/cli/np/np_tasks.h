// The tasks and the predictor that the arguments of haplospin np ask for.
#pragma once

#include <memory>

#include "cli/np/np_options.h"
#include "processes/process_model.h"
#include "processes/process_predictor.h"
#include "processes/task_source.h"

namespace haplospin {

// Returns the tasks to train on, or to test on. `model` gives the scaling of its training data (null: none yet).
// Throws InputError if options do not belong to the task.
std::unique_ptr<TaskSource> MakeTaskSource(const TaskArguments& arguments, const CommandOptions& options,
                                           bool for_training, const ProcessModel* model);

PredictorOptions OptionsOf(const PredictorArguments& arguments);

}  // namespace haplospin
