// Meta-trains the imputer's weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "imputer_training/episode.h"

namespace haplospin {

struct ImputerTraining {
  EpisodeOptions episodes;
  int64_t steps = 3000;
  int64_t samples_per_step = 4;  // people whose haplotypes are the targets of a step
  int64_t stretches = 2;         // of each haplotype
  int64_t tasks = 12;            // kept at hand; every `task_steps` steps a new one replaces the oldest
  int64_t task_steps = 24;
  int64_t copy_hidden = 32;
  int64_t allele_hidden = 32;
  double learning_rate = 4e-3;
  double weight_decay = 1e-4;
  double squared_error_weight = 2;  // of the loss: cross-entropy + this times squared error
  uint64_t seed = 1;
  int64_t log_steps = 100;
  int64_t checkpoint_steps = 200;
  std::string device = "cpu";
  std::string checkpoint;  // empty: none
  bool resume = false;     // from the checkpoint
  int64_t stop_after = 0;  // steps of this run, after which it ends with a checkpoint and no weights; 0: never
  std::string out;
  Provenance provenance;  // for the weights file
};

// Writes the weights to `training.out`. The same seed gives the same weights on the CPU, interrupted or not. Throws
// InputError where the loss is not a number any more; then the last checkpoint stays.
void TrainImputer(const ImputerTraining& training, const std::vector<TrainingPanel>& panels);

}  // namespace haplospin
