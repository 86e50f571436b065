// Trains neural processes on tasks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "models/neural_process/neural_process.h"
#include "nn/training_options.h"
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

  int64_t batch = 16;            // tasks of a step
  bool cosine = true;            // down to 0 at the last step; else constant
  double clip = 0.5;             // of each gradient value (Ashman et al., 2024, appendix F.1)
  nlohmann::json model_options;  // ProcessOptions: a resumed run must have the same
};

struct ProcessTrainingResult {
  int64_t steps = 0;         // done in all
  double last_loss = 0;      // mean over the last steps logged
  bool is_finished = false;  // false: stopped by stop_after
};

// Seed LibTorch's generator and create the network before. The same seed gives the same weights on the CPU, interrupted
// or not. Throws InputError if the loss is not finite; then the last checkpoint is kept.
ProcessTrainingResult TrainProcess(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training);

}  // namespace haplospin
