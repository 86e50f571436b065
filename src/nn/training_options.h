// The options that all training commands have in common.
#pragma once

#include <cstdint>
#include <string>

#include "nn/distributed/process_place.h"

namespace haplospin {

struct TrainingOptions {
  std::string command = "train";  // its name in messages
  int64_t steps = 1000;
  double learning_rate = 1e-3;  // the largest of the schedule
  double weight_decay = 0;
  uint64_t seed = 1;
  std::string device = "cpu";
  double time_limit = 0;         // seconds, over all resumed parts of a run; the schedule then ends with it; 0: none
  int64_t log_steps = 100;       // steps between log lines; 0: no lines
  int64_t validation_steps = 0;  // steps between validations; 0: none, and the last weights are the result
  int64_t patience = 0;          // validations without a better one after which a run ends; 0: it does not
  std::string checkpoint;        // empty: none
  int64_t checkpoint_steps = 500;
  bool resume = false;
  bool allow_changes = false;  // resume with other options than those the checkpoint was made with
  int64_t stop_after = 0;      // steps of this process, after which it ends with a checkpoint and no result; 0: never
  std::string out;
  ProcessPlace place;
};

// Throws InputError before hours of work where options contradict each other, where the output or the checkpoint
// cannot be written, and where there is no checkpoint to resume from. Leaves no file behind.
void CheckTrainingOptions(const TrainingOptions& options);

// Before the training of a command: takes the place of the process from the environment, and keeps all processes but
// that of rank 0 quiet. Throws InputError as CheckTrainingOptions() does.
void PrepareTraining(TrainingOptions& options);

}  // namespace haplospin
