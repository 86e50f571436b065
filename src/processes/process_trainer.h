// Trains neural processes on tasks.
#pragma once

#include <cstdint>
#include <string>

#include "models/neural_process/neural_process.h"
#include "processes/task_source.h"

namespace haplospin {

struct ProcessTraining {
  int64_t steps = 10000;
  int64_t batch = 16;  // tasks of a step
  double learning_rate = 5e-4;
  bool cosine = true;  // down to 0 at the last step; else constant
  double weight_decay = 0.01;
  double clip = 0.5;  // of each gradient value (Ashman et al., 2024, appendix F.1)
  uint64_t seed = 1;
  std::string device = "cpu";
  int64_t log_steps = 500;
  std::string checkpoint;  // empty: none
  int64_t checkpoint_steps = 500;
  bool resume = false;
  int64_t stop_after = 0;  // steps of this run, after which it ends with a checkpoint; 0: never
  double time_limit = 0;   // minutes, after which it ends; 0: none
};

struct ProcessTrainingResult {
  int64_t steps = 0;         // done in all
  double last_loss = 0;      // mean over the last steps logged
  bool is_finished = false;  // false: stopped by stop_after
};

// Seed LibTorch's generator and make the network before. The same seed gives the same weights on the CPU, interrupted
// or not. Throws InputError where the loss is not a number any more; then the last checkpoint stays as it is.
ProcessTrainingResult TrainProcess(NeuralProcess& network, const TaskSource& source, const ProcessTraining& training);

}  // namespace haplospin
