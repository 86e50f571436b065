// The settings of training a model on a table, and the presets; without LibTorch, because the program declares them as
// options of its commands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learning/models/context_network_options.h"
#include "learning/nn/training_options.h"

namespace haplospin {

// The common options are those of each network; only the time limit is for all networks together. Each process draws
// rows of its own for a step, so that a step has `batch_rows` times as many as there are processes.
struct TabularTrainingOptions : TrainingOptions {
  TabularTrainingOptions() {
    command = "tabular train";
    steps = 400;
    patience = 8;
    validation_steps = 20;
    learning_rate = 2e-3;
    weight_decay = 0.05;
    log_steps = 0;
    checkpoint_steps = 100;
  }

  bool trees = true;                // adds boosted trees to the linear fit
  bool gaussian_processes = false;  // adds the prediction without training
  int64_t members = 4;              // networks, whose predictions are averaged; each has its own validation rows
  ContextNetworkOptions network;
  int64_t models = 1;             // models that will be trained like this one, for an estimate of the time; 0: none
  double validation_share = 0.2;  // fraction of the rows; at most 1 / members
  double average_rate = 0.03;     // share of the current weights in the moving average of the weights
  int64_t batch_rows = 256;       // maximum number of rows of a step
  int64_t context_rows = 4096;    // maximum number of known rows that a prediction is made from
  double feature_masking = 0.15;  // fraction of the features that is masked and predicted
  double tradeoff = 0.5;          // initial weight of the loss of features, which is annealed to 0
};

// "auto" is "small" or "base" by the number of rows.
inline std::vector<std::string> TabularPresetNames() { return {"auto", "small", "base"}; }

// Returns the preset of an architecture for a table with these numbers of rows and columns.
TabularTrainingOptions TabularPreset(const std::string& preset, const std::string& architecture, int64_t rows,
                                     int64_t columns);

}  // namespace haplospin
