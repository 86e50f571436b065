// The features of a table as columns of numbers, for fits without a network.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <vector>

#include "learning/nn/layers/attributes.h"
#include "learning/tabular/table_encoder.h"

namespace haplospin {

// A numeric feature is its value, an indicator of a missing value, and its distance above each of a few quantiles; a
// categorical one is an indicator of each class and of a missing value. In tables of very many columns the quantiles
// are left out, and then the columns of most categories.
class TableFeatures : public torch::nn::Module {
 public:
  // is_target: [d] bool. quantiles: of each numeric feature.
  TableFeatures(const Attributes& attributes, const torch::Tensor& is_target, int64_t quantiles);

  // Finds the quantiles and the ranges of the numeric features.
  void Fit(const EncodedTable& rows);

  // [n, width()]; values beyond the range of the rows that were fitted are taken as its ends.
  torch::Tensor forward(const torch::Tensor& values, const torch::Tensor& missing) const;

  int64_t width() const { return width_; }

  // The columns of distances above quantiles.
  int64_t first_distance() const { return 2 * static_cast<int64_t>(numbers_.size()); }
  int64_t distances() const { return static_cast<int64_t>(numbers_.size()) * quantiles_; }

 private:
  struct Category {
    int64_t attribute = 0, classes = 0;
  };

  std::vector<int64_t> numbers_;  // numeric features
  std::vector<Category> categories_;
  int64_t quantiles_ = 0, width_ = 0;
  torch::Tensor low_, high_;  // [numbers]
  torch::Tensor knots_;       // [numbers, quantiles]
};

}  // namespace haplospin
