// Trains the imputer's weights by meta-learning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "learning/imputer_training/episode.h"
#include "learning/nn/training_options.h"

namespace haplospin {

struct ImputerTraining : TrainingOptions {
  ImputerTraining() {
    steps = 3000;
    learning_rate = 4e-3;
    weight_decay = 1e-4;
    checkpoint_steps = 200;
  }

  EpisodeOptions episodes;
  int64_t samples_per_step = 4;  // people whose haplotypes are the targets of a step
  int64_t stretches = 2;         // episodes of each haplotype
  int64_t tasks = 12;            // tasks in memory; every `task_steps` steps a new one replaces the oldest
  int64_t task_steps = 24;
  int64_t copy_hidden = 32;
  int64_t allele_hidden = 32;
  double squared_error_weight = 2;  // the loss is cross-entropy + this times squared error
  bool relative_loss = false;       // divide the loss of a task by that of the Li-Stephens model
  std::string start;                // weights to start from, with these hidden layers; empty: the Li-Stephens model
  Provenance provenance;            // written to the weights file
};

// Writes the weights to `training.out`, and returns whether it did: not where it ended at stop_after. Processes share
// the samples of a step. The rest is as of RunTraining() (nn/training/training_run.h).
bool TrainImputer(const ImputerTraining& training, const std::vector<TrainingPanel>& panels);

}  // namespace haplospin
