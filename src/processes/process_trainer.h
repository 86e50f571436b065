// Trains neural processes on tasks.
#pragma once

#include "models/neural_process/neural_process.h"
#include "nn/training/training_run.h"
#include "processes/process_arguments.h"
#include "processes/task_source.h"

namespace haplospin {

// LibTorch's generator must be seeded and the network created before. The same seed gives the same weights on the CPU,
// interrupted or not. Throws InputError if the loss is not finite; then the last checkpoint is kept.
TrainingResult TrainProcess(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training);

}  // namespace haplospin
