// Trains neural processes on tasks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "models/neural_process/neural_process.h"
#include "nn/training_run.h"
#include "processes/task_source.h"

namespace haplospin {

struct ProcessTraining : TrainingOptions {
  ProcessTraining() {
    command = "np train";
    steps = 10000;
    learning_rate = 5e-4;
    weight_decay = 0.01;
    log_steps = 500;
  }

  int64_t batch = 16;            // tasks in a step
  bool cosine = true;            // down to 0 at the last step; else constant
  double clip = 0.5;             // largest gradient value (Ashman et al., 2024, appendix F.1)
  nlohmann::json model_options;  // ProcessOptions: a resumed run must have the same
};

// LibTorch's generator must be seeded and the network created before. The same seed gives the same weights on the CPU,
// interrupted or not. Throws InputError if the loss is not finite; then the last checkpoint is kept.
TrainingResult TrainProcess(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training);

}  // namespace haplospin
