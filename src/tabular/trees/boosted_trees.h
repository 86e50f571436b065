// Boosted trees: gradient boosting of oblivious trees.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "nn/layers/masking.h"
#include "tabular/linear/table_features.h"
#include "tabular/trees/tree_growing.h"

namespace haplospin {

// Every tree lowers the error of the trees before it: the squared error of numbers, the negative log-likelihood of
// classes. The first begins from the mean or the class frequencies.
class BoostedTrees : public torch::nn::Module {
 public:
  // Predicts 0 until it is fitted. is_target: [d] bool.
  BoostedTrees(const Attributes& attributes, const torch::Tensor& is_target);

  // Grows trees until the loss on the validation rows has not improved for a while, and keeps those until then. All of
  // these rows have all targets. The same seed gives the same trees with any number of threads.
  void Fit(const EncodedTable& training, const EncodedTable& validation, uint64_t seed);

  // Returns logits or numbers; 0 for features. [n, d, c]
  torch::Tensor forward(const MaskedTable& rows) const;

  int64_t trees() const { return target_.size(0); }

  // Makes room for the weights of so many trees, which are then loaded. Check() then throws InputError, naming the
  // source, if a tree does not fit the table.
  void Resize(int64_t trees);
  void Check(const std::string& source) const;

 private:
  void StartFromMeans(const EncodedTable& training);
  void Append(const std::vector<ObliviousTree>& trees, int64_t target, int64_t classes);

  Attributes attributes_;
  std::vector<int64_t> targets_;
  int64_t outputs_ = 1;
  std::shared_ptr<TableFeatures> features_;
  torch::Tensor start_;       // [d, c]
  torch::Tensor target_;      // [trees]: the attribute that each tree is for
  torch::Tensor compared_;    // [trees, depth]: features
  torch::Tensor thresholds_;  // [trees, depth]: very high where a tree is less deep
  torch::Tensor values_;      // [trees, leaves, c]
};

}  // namespace haplospin
