// Boosted trees that have a share in the predictions of something else.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "learning/nn/layers/attributes.h"
#include "learning/tabular/boosted_trees.h"
#include "learning/tabular/table_encoder.h"

namespace haplospin {

// The mean of trees that were each grown on most of the rows and tested on the others (cross-fitting). Their share in
// the combined prediction is the one with the least error of the tested rows, and 0 unless it lowers the error beyond
// chance.
class CrossfitTrees {
 public:
  // Features and labels [n] of known rows: numbers (classes 0), or classes. predictions [compared, outputs] are the
  // other predictions for some of them, `compared`, each made without the row's label: a number, or the probability of
  // each class. On the CPU.
  CrossfitTrees(const EncodedTable& known, const Attributes& columns, const torch::Tensor& labels, int64_t classes,
                const torch::Tensor& compared, const torch::Tensor& predictions, uint64_t seed,
                const Advance& advance = {});

  // The predictions for some rows combined with those of the trees, [n, outputs].
  torch::Tensor Combine(const EncodedTable& rows, const torch::Tensor& predictions) const;

  // Returns the predictions of the rows that were compared, each by the trees that were not grown on it.
  const torch::Tensor& compared_predictions() const { return compared_predictions_; }

 private:
  torch::Tensor PredictOne(const BoostedTrees& trees, const EncodedTable& rows) const;

  int64_t classes_ = 0;
  double share_ = 0;
  std::vector<std::shared_ptr<BoostedTrees>> trees_;  // empty if they have no share
  torch::Tensor compared_predictions_;
};

}  // namespace haplospin
