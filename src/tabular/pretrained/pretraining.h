// Trains a network on synthetic tables.
#pragma once

#include <cstdint>
#include <string>

#include "core/provenance.h"
#include "nn/training_run.h"
#include "tabular/pretrained/in_context_loss.h"
#include "tabular/prior/synthetic_task.h"

namespace haplospin {

struct PretrainingOptions : TrainingOptions {
  PretrainingOptions() {
    command = "tabular pretrain";
    steps = 100000;
    learning_rate = 1e-3;
    weight_decay = 0.01;
    log_steps = 100;
    validation_steps = 500;
    checkpoint_steps = 200;
  }

  InContextOptions network;
  PriorOptions prior;
  int64_t tables = 16;             // of a step, over all processes
  int64_t validation_tables = 96;  // the same at every validation
  double flat_share = 0.7;         // of the steps, after which the learning rate is annealed to 0
  int64_t warm_up = 300;           // steps
  double average_rate = 0.005;     // of the running mean of the weights, which is validated and is the result
};

struct PretrainingResult {
  InContextNetwork network{nullptr};
  TrainingResult training;
};

// Each table is drawn from the seed, the step and its place in the step, so that the tables do not depend on the number
// of processes.
PretrainingResult Pretrain(const PretrainingOptions& options);

}  // namespace haplospin
