// Gradient boosting of decision trees.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "learning/nn/layers/masking.h"
#include "learning/tabular/decision_tree.h"
#include "learning/tabular/table_features.h"

namespace haplospin {

using Advance = std::function<void()>;  // says that a step of a fit is done

// The depth of trees that are grown on so many rows: of few rows, deeper trees would learn chance.
constexpr int64_t TreeDepth(int64_t rows) { return rows > 10000 ? 8 : 6; }

inline constexpr double kFeatureShare = 0.5;  // share of the features that a node compares

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
  static void FitTogether(const std::vector<BoostedTrees*>& all, const std::vector<TreeRows>& rows, uint64_t seed,
                          const Advance& advance = {});

  // Returns logits or numbers; 0 for features. [n, d, c]
  torch::Tensor forward(const MaskedTable& rows) const;

  int64_t trees() const { return target_.size(0); }

  // Makes room for the weights of so many trees with so many nodes, which are then loaded. Check() then throws
  // InputError, naming the source, if a tree does not fit the table.
  void Resize(int64_t trees, int64_t nodes);
  void Check(const std::string& source) const;

 private:
  void StartFromMeans(const EncodedTable& training);
  void Append(const std::vector<DecisionTree>& trees, int64_t target, int64_t classes);

  Attributes attributes_;
  std::vector<int64_t> targets_;
  int64_t outputs_ = 1;
  int64_t depth_ = 6;
  std::shared_ptr<TableFeatures> features_;
  torch::Tensor start_;       // [d, c]
  torch::Tensor target_;      // [trees]: the attribute that each tree is for
  torch::Tensor compared_;    // [trees, leaves - 1], as of DecisionTree
  torch::Tensor thresholds_;  // [trees, leaves - 1]
  torch::Tensor values_;      // [trees, leaves, c]
};

}  // namespace haplospin
