// A trained neural process with everything that a prediction needs: its training and its model file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model_header.h"
#include "learning/models/neural_process/neural_process.h"
#include "learning/models/neural_process/process_options.h"
#include "learning/nn/training/training_run.h"
#include "learning/processes/process_arguments.h"
#include "learning/processes/task_source.h"

namespace haplospin {

inline constexpr ModelKind kNeuralProcessModel = {"neural-process", 1, "a neural process model", "haplospin np train"};

struct ProcessModel {
  ProcessOptions options;
  std::shared_ptr<NeuralProcess> network;
  std::optional<DataScaling> scaling;  // the training table's; none: each context has its own
  std::vector<double> x_low, x_high;   // the range of the training points, in the model's units
  PointColumns columns;                // columns of the training table; empty names without a table
  std::vector<std::string> groups;     // names of the groups of rows that it was trained on
  Provenance provenance;
  std::map<std::string, std::string> results;  // figures of the training
};

void WriteProcessModel(const std::string& path, const ProcessModel& model);

// The model is in evaluation mode on the CPU. test_samples replaces that of its options, unless 0. Throws InputError,
// naming the file, if it is damaged or of another kind or version.
ProcessModel ReadProcessModel(const std::string& path, int64_t test_samples = 0);

// Stores the lowest and highest inputs of some training tasks in the model.
void SetTrainedRange(const TaskSource& source, uint64_t seed, ProcessModel& model);

// LibTorch's generator must be seeded and the network created before. The same seed gives the same weights on the CPU,
// interrupted or not. Throws InputError if the loss is not finite; then the last checkpoint is kept.
TrainingResult TrainProcess(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training);

}  // namespace haplospin
