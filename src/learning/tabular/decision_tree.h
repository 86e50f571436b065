// Decision trees that lower the second-order approximation of a loss.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace haplospin {

// The number of leaves of a tree of a depth.
constexpr int64_t TreeLeaves(int64_t depth) { return int64_t{1} << depth; }

// The features of the rows, each as the number of its thresholds that are below the value.
class BinnedFeatures {
 public:
  // columns [p, n], one feature after the other.
  BinnedFeatures(const float* columns, int64_t rows, int64_t features);

  int64_t rows() const { return rows_; }
  int64_t features() const { return static_cast<int64_t>(thresholds_.size()); }
  const std::vector<float>& thresholds(int64_t feature) const { return thresholds_[static_cast<size_t>(feature)]; }
  const uint8_t* row(int64_t row) const { return codes_.data() + row * features(); }

 private:
  int64_t rows_ = 0;
  std::vector<std::vector<float>> thresholds_;  // ascending
  std::vector<uint8_t> codes_;                  // [n, p]
};

// The derivatives of the loss at the predictions of each row.
struct LossDerivatives {
  int64_t outputs = 1;
  std::vector<float> values;  // [n, 2, outputs]: first derivatives, second derivatives

  const float* row(int64_t row) const { return values.data() + row * 2 * outputs; }
};

// A complete binary tree, node by node and level by level. A row goes to the right where its value of the node's
// feature is above the threshold. A node that is not split has a threshold above all values.
struct DecisionTree {
  std::vector<int64_t> compared;  // features, [leaves - 1]
  std::vector<float> thresholds;  // [leaves - 1]
  std::vector<float> values;      // [leaves, outputs]
};

// The tree of a depth, grown on a random share of the rows, of which each node has the split that lowers the
// approximation of the loss most, among a random share of the features of its own. Where all features have very many
// thresholds, a tree has a random part of them. `leaves` receives the leaf of every row.
DecisionTree GrowTree(const BinnedFeatures& rows, const LossDerivatives& derivatives, int64_t depth,
                      double feature_share, RandomStream& random, std::vector<uint32_t>& leaves);

}  // namespace haplospin
