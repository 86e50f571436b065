// Networks that learn what a linear fit to a table leaves, and their training.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "learning/models/context_network.h"
#include "learning/nn/training/training_run.h"
#include "learning/tabular/linear_model.h"
#include "learning/tabular/tabular_training_options.h"

namespace haplospin {

// SpinOptions::rows_per_block: a step of the presets "small" and "base" is one block.
inline constexpr int64_t kSpinRowsPerBlock = 512;

// A network that predicts what a linear fit leaves. The numeric targets that the inner network sees are residuals of
// the linear fit, scaled to a standard deviation of 1: a fit that explains nearly everything leaves it as much to learn
// as one that explains nothing. Its predictions are added to the fit, numbers in the target's units and classes as
// logits.
class ResidualNetwork : public ContextNetwork {
 public:
  // `linear` is fitted already and is not one of the network's modules. is_target: [d] bool.
  ResidualNetwork(std::shared_ptr<ContextNetwork> inner, std::shared_ptr<LinearModel> linear,
                  const Attributes& attributes, const torch::Tensor& is_target);

  // Measures the scale of the residuals on these rows, which have all targets.
  void Fit(const EncodedTable& rows);

  torch::Tensor Train(const MaskedTable& batch, const MaskedTable& memory, const torch::Tensor& own_row) override;
  EncodedContext Encode(const MaskedTable& rows) override;
  torch::Tensor Predict(const EncodedContext& context, const MaskedTable& query) override;
  torch::Tensor ContextWeights(const EncodedContext& context, const MaskedTable& query) override;

  // The standard deviation of each numeric target's residuals, 1 for other attributes; [d].
  const torch::Tensor& scale() const { return scale_; }

 private:
  MaskedTable ToResiduals(const MaskedTable& rows, const torch::Tensor& linear) const;
  torch::Tensor FromResiduals(const torch::Tensor& predictions, const torch::Tensor& linear) const;

  std::shared_ptr<ContextNetwork> inner_;
  std::shared_ptr<LinearModel> linear_;
  torch::Tensor is_number_;  // [d] bool: numeric targets
  torch::Tensor scale_;      // [d], a buffer
};

// Random weights from LibTorch's generator.
std::shared_ptr<ResidualNetwork> MakeTabularNetwork(const ContextNetworkOptions& options,
                                                    std::shared_ptr<LinearModel> linear, const Attributes& attributes,
                                                    const torch::Tensor& is_target);

// Predicts rows on the network's device in blocks: the probability of each class, or the number at index 0; [b, d, c].
torch::Tensor PredictInBlocks(ContextNetwork& network, const EncodedContext& context, const EncodedTable& rows,
                              const Attributes& attributes, const torch::Tensor& is_target);

struct TrainedNetwork {
  std::shared_ptr<ResidualNetwork> network;  // has the weights of the best validation
  // The loss of a point is the mean loss of the targets since the last point. Its score is the negative validation
  // loss: cross-entropy, or squared error of the standardized value, summed over the targets.
  TrainingResult result;
};

// A table as all networks of an ensemble are trained on it.
struct TrainingTable {
  EncodedTable table;
  Attributes attributes;
  torch::Tensor is_target;       // [d] bool, on the table's device
  std::vector<uint32_t> strata;  // stratum of each row (splits.h)
};

// Rows of the table to train on and rows to validate on; the targets of the latter are never an input.
struct TrainingRows {
  std::vector<size_t> training, validation;
};

// Trains a network on the residuals of `linear`, which is fitted to the training rows. As RunTraining()
// (nn/training/training_run.h): `options` has the checkpoint and the time limit of this network; `observer` is called
// after each step. Throws InputError if the loss is not finite before the first validation; later, the best weights are
// the result.
TrainedNetwork TrainTabularNetwork(const TabularTrainingOptions& options, const TrainingTable& data,
                                   const TrainingRows& rows, const std::shared_ptr<LinearModel>& linear,
                                   uint64_t member, DataParallel& processes, const TrainingObserver& observer);

}  // namespace haplospin
