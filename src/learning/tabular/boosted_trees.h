// Gradient boosting of decision trees.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/random.h"
#include "learning/nn/layers/masking.h"
#include "learning/tabular/table_features.h"

namespace haplospin {

inline constexpr int64_t kTreeDepth = 6;
inline constexpr int64_t kTreeLeaves = 1 << kTreeDepth;
inline constexpr double kFeatureShare = 0.7;  // of the features that a tree may compare, unless another is given

// The features of the rows, each as the number of its thresholds that are below the value.
class BinnedFeatures {
 public:
  explicit BinnedFeatures(const torch::Tensor& features);  // [n, p]

  int64_t rows() const { return rows_; }
  int64_t features() const { return static_cast<int64_t>(thresholds_.size()); }
  const std::vector<float>& thresholds(int64_t feature) const { return thresholds_[static_cast<size_t>(feature)]; }
  const uint8_t* codes(int64_t feature) const { return codes_.data() + feature * rows_; }

 private:
  int64_t rows_ = 0;
  std::vector<std::vector<float>> thresholds_;  // ascending
  std::vector<uint8_t> codes_;                  // [p, n]
};

// First and second derivatives of the loss, [n, c].
struct LossDerivatives {
  int64_t outputs = 1;
  std::vector<float> first, second;
};

// A complete binary tree, node by node and level by level. A row goes to the right where its value of the node's
// feature is above the threshold. A node that is not split has a threshold above all values.
struct DecisionTree {
  std::vector<int64_t> compared;  // features, [leaves - 1]
  std::vector<float> thresholds;  // [leaves - 1]
  std::vector<float> values;      // [leaves, c]
};

// The tree of which each node has the split that lowers the second-order approximation of the loss most, among random
// shares of the rows and features. `leaves` receives the leaf of every row.
DecisionTree GrowTree(const BinnedFeatures& rows, const LossDerivatives& derivatives, double feature_share,
                      RandomStream& random, std::vector<uint32_t>& leaves);

// The rows that trees are grown on and tested on. All of them have all targets.
struct TreeRows {
  EncodedTable training, validation;
};

// Every tree lowers the error of the trees before it: the squared error of numbers, the negative log-likelihood of
// classes. The first begins from the mean or the class frequencies.
class BoostedTrees : public torch::nn::Module {
 public:
  // Predicts 0 until it is fitted. is_target: [d] bool.
  BoostedTrees(const Attributes& attributes, const torch::Tensor& is_target);

  // Grows trees until the loss on the validation rows has not improved for a while, and keeps those until then. The
  // same seed gives the same trees with any number of threads.
  void Fit(const EncodedTable& training, const EncodedTable& validation, uint64_t seed);

  // Fits several to rows of their own, of the same columns. All have the same number of trees, which is best for the
  // validation rows of all together.
  static void FitTogether(const std::vector<BoostedTrees*>& all, const std::vector<TreeRows>& rows,
                          double feature_share, uint64_t seed);

  // Returns logits or numbers; 0 for features. [n, d, c]
  torch::Tensor forward(const MaskedTable& rows) const;

  int64_t trees() const { return target_.size(0); }

  // Makes room for the weights of so many trees, which are then loaded. Check() then throws InputError, naming the
  // source, if a tree does not fit the table.
  void Resize(int64_t trees);
  void Check(const std::string& source) const;

 private:
  void StartFromMeans(const EncodedTable& training);
  void Append(const std::vector<DecisionTree>& trees, int64_t target, int64_t classes);

  Attributes attributes_;
  std::vector<int64_t> targets_;
  int64_t outputs_ = 1;
  std::shared_ptr<TableFeatures> features_;
  torch::Tensor start_;       // [d, c]
  torch::Tensor target_;      // [trees]: the attribute that each tree is for
  torch::Tensor compared_;    // [trees, leaves - 1], as of DecisionTree
  torch::Tensor thresholds_;  // [trees, leaves - 1]
  torch::Tensor values_;      // [trees, leaves, c]
};

}  // namespace haplospin
