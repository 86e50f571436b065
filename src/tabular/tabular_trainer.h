// Trains one network on a table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nn/training_run.h"
#include "tabular/table_encoder.h"
#include "tabular/tabular_network.h"

namespace haplospin {

// `steps`, `patience` and `stop_after` are those of the common options for each member, the time limit is for all of
// them. Each process draws rows of its own for a step, so that it has `batch_rows` times as many as there are
// processes.
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

  ContextNetworkOptions network;
  bool gaussian_processes = false;       // adds the prediction without training
  bool only_gaussian_processes = false;  // predicts by it alone
  int64_t models = 1;                    // as many as will be trained so, for an estimate of the time; 0: say nothing
  bool smooths = true;                   // adds what the neighbors say, which needs rows in the model
  int64_t members = 4;                   // networks of the ensemble, each with its own validation rows
  double validation_share = 0.2;         // of the rows; no more than 1 / members of them where members are more
  bool lamb = false;            // LAMB and Lookahead as the papers train, else AdamW and an average of the weights
  LookaheadOptions lookahead;   // of LAMB
  double average_rate = 0.03;   // of that average
  double clip = 1.0;            // gradients, element by element; 0: not
  int64_t batch_rows = 256;     // rows of a step, at most
  int64_t context_rows = 4096;  // known rows that a prediction is made from, at most
  double feature_masking = 0.15;
  double randomized = 0.1;      // share of the masked features that get a random value in place of the mask
  double target_masking = 0.5;  // fraction of the targets of a batch that are masked and predicted; Hopular masks all
  double tradeoff = 0.5;        // weight of the features' loss at the start; annealed to 0
};

// "small", "base" or "paper"; "auto" takes the first two by the number of rows.
const std::vector<std::string>& TabularPresetNames();

// What a preset means for an architecture on a table of that size.
TabularTrainingOptions TabularPreset(const std::string& preset, const std::string& architecture, int64_t rows,
                                     int64_t columns);

// Halves the rows of a step and of the context until a training step is expected to need no more than that. Throws
// InputError where it needs more even with 64 rows.
void FitMemory(TabularTrainingOptions& options, int64_t columns, double bytes);

// One validation.
struct TrainingPoint {
  int64_t step = 0;
  double training_loss = 0.0;    // of the targets, mean since the last point
  double validation_loss = 0.0;  // cross-entropy, or squared error of the standardized value, summed over targets
};

// Where the training of a network is.
struct TrainingStatus {
  int64_t step = 0;
  double seconds = 0.0;
  TrainingPoint point;  // the latest; its step is 0 before the first validation
};

// The share of the steps or of the time limit that is used up, whichever is more.
double ShareDone(const TrainingOptions& options, const TrainingStatus& status);

// "step 20: loss 0.51, validation 0.55".
std::string StepText(const TrainingStatus& status);

struct TrainedNetwork {
  std::shared_ptr<ResidualNetwork> network;  // with the weights of the best validation
  std::vector<TrainingPoint> curve;
  TrainingPoint best;
  bool has_diverged = false;  // the loss was not finite any more, and training stopped there
  bool is_finished = true;    // false where it ended at stop_after
  int64_t steps = 0;          // done in all
  double seconds = 0;         // used in all
};

// What is the same for all members.
struct TrainingTable {
  EncodedTable table;
  Attributes attributes;
  torch::Tensor is_target;       // [d] bool, on the table's device
  std::vector<uint32_t> strata;  // of each row (splits.h)
};

// Rows of the table that are trained on, and others that are validated on; the targets of these are never an input.
struct TrainingRows {
  std::vector<size_t> training, validation;
  std::shared_ptr<LinearModel> linear{};  // fitted to the training rows
};

// As RunTraining() (nn/training_run.h) for one member: `options` has its own checkpoint and time limit. `report` is
// called after each step. Throws InputError where the loss is not finite before
// the first validation; later, the best weights are the result.
TrainedNetwork TrainTabularNetwork(const TabularTrainingOptions& options, const TrainingTable& data,
                                   const TrainingRows& rows, uint64_t member, DataParallel& processes,
                                   const std::function<void(const TrainingStatus&)>& report);

// At most `max_rows` of the rows, stratified, in ascending order.
std::vector<size_t> ContextRows(const std::vector<size_t>& rows, const std::vector<uint32_t>& strata_of_table,
                                int64_t max_rows, uint64_t seed);

// Of its values, by which a resumed run knows the table again.
std::string HashOfTable(const EncodedTable& table);

torch::Tensor RowTensor(const std::vector<size_t>& rows, torch::Device device);

// Known rows as a prediction is made from them: with their targets, unless the network was trained without ever seeing
// one (target_masking 1).
MaskedTable ContextOf(const TabularTrainingOptions& options, const EncodedTable& table, const torch::Tensor& is_target);

// Masks the targets; those that are known are in the loss.
MaskedTable QueryOf(const EncodedTable& table, const torch::Tensor& is_target);

}  // namespace haplospin
