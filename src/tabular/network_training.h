// The training of one network on a table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "nn/training_run.h"
#include "tabular/tabular_network.h"
#include "tabular/tabular_training_options.h"

namespace haplospin {

// The result of one validation.
struct TrainingPoint {
  int64_t step = 0;
  double training_loss = 0.0;    // mean loss of the targets since the last point
  double validation_loss = 0.0;  // cross-entropy, or squared error of the standardized value, summed over targets
};

// The progress of a network's training.
struct TrainingStatus {
  int64_t step = 0;
  double seconds = 0.0;
  TrainingPoint point;  // the latest; its step is 0 before the first validation
};

struct TrainedNetwork {
  std::shared_ptr<ResidualNetwork> network;  // has the weights of the best validation
  std::vector<TrainingPoint> curve;
  TrainingPoint best;
  bool has_diverged = false;  // training stopped because the loss was not finite
  bool is_finished = true;    // false: training ended at stop_after
  double seconds = 0;         // time of all runs, if it was resumed
};

// A table as all networks of an ensemble are trained on it.
struct TrainingTable {
  EncodedTable table;
  Attributes attributes;
  torch::Tensor is_target;       // [d] bool, on the table's device
  std::vector<uint32_t> strata;  // one for each row (splits.h)
};

// Rows of the table to train on and rows to validate on; the targets of the latter are never an input.
struct TrainingRows {
  std::vector<size_t> training, validation;
};

// Trains a network on the residuals of `linear`, which is fitted to the training rows. As RunTraining()
// (nn/training_run.h): `options` has the checkpoint and the time limit of this network; `report` is called after each
// step. Throws InputError if the loss is not finite before the first validation; later, the best weights are the
// result.
TrainedNetwork TrainTabularNetwork(const TabularTrainingOptions& options, const TrainingTable& data,
                                   const TrainingRows& rows, const std::shared_ptr<LinearModel>& linear,
                                   uint64_t member, DataParallel& processes,
                                   const std::function<void(const TrainingStatus&)>& report);

}  // namespace haplospin
