// The tasks and the predictor that the arguments of haplospin np ask for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/learning/np/np_options.h"
#include "learning/processes/csv_tasks.h"
#include "learning/processes/process_model.h"
#include "learning/processes/process_predictor.h"
#include "learning/processes/task_source.h"

namespace haplospin {

// Returns the tasks to train on, or to test on. `model` gives the scaling of its training data (null: none yet).
// Throws InputError if options do not belong to the task.
std::unique_ptr<TaskSource> MakeTaskSource(const TaskArguments& arguments, const CommandOptions& options,
                                           bool for_training, const ProcessModel* model);

// Throws InputError where an option was given that the predictor does not use.
void CheckPredictorOptions(const ChosenPredictor& chosen, const CommandOptions& options);

// Says which predictor was chosen, if the options left it open.
void SayDefault(const ChosenPredictor& chosen);

// Returns the number of inputs that the options ask for.
size_t NumInputs(const TaskArguments& arguments);

// Warns about inputs that equal an output.
void WarnAboutKnownOutputs(const PointTable& table, const PointColumns& names);

PointColumns MakePointColumns(const ColumnArguments& arguments);
PredictorOptions MakePredictorOptions(const PredictorArguments& arguments);

}  // namespace haplospin
