// The growing of one tree of gradient boosting.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace haplospin {

inline constexpr int64_t kTreeDepth = 5;
inline constexpr int64_t kTreeLeaves = 1 << kTreeDepth;

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

// A tree whose nodes of a level all have the same split (oblivious trees; CatBoost, Prokhorenkova et al. 2018): such a
// tree is a table with an entry for each outcome of its few comparisons. A row's leaf has bit i set where its value of
// features[i] is above thresholds[i].
struct ObliviousTree {
  std::vector<int64_t> features;
  std::vector<float> thresholds;
  std::vector<float> values;  // [2^features.size(), c]
};

// The tree that lowers the second-order approximation of the loss most, split by split, among random shares of the rows
// and features. `leaves` receives the leaf of every row.
ObliviousTree GrowTree(const BinnedFeatures& rows, const LossDerivatives& derivatives, RandomStream& random,
                       std::vector<uint32_t>& leaves);

}  // namespace haplospin
