// Gaussian process regressions of a label on the columns of a table, which a network for tables starts from.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "models/in_context/cell_inputs.h"
#include "models/in_context/column_scales.h"
#include "nn/layers/attributes.h"

namespace haplospin {

inline constexpr int64_t kFits = 16;  // kernels and noises
// The prediction of each fit, for each class or of a number, and the logarithm of its mean squared error.
inline constexpr int64_t kFitInputs = kFits * kMaxClasses + kFits;

// What the fits say of rows.
struct FitPredictions {
  torch::Tensor inputs;  // [n, kFitInputs], of a network
  torch::Tensor logits;  // [n, kMaxClasses + kNumberBins]: the mean of the fits as a distribution
};

// Rows as the fits see them: each number standardized, and two other forms of it, with 0 for categories and missing
// numbers; the category, or 0 for a number; and -1 if it is missing.
struct FitRows {
  torch::Tensor standardized;  // [n, d]
  torch::Tensor numbers;       // [n, d, 2]
  torch::Tensor codes;         // [n, d] float

  FitRows Part(int64_t first, int64_t size) const {
    return {standardized.narrow(0, first, size), numbers.narrow(0, first, size), codes.narrow(0, first, size)};
  }
};

// cells [n, d, kCellInputs] of CellInputs() for values [n, d] and missing [n, d].
FitRows MakeFitRows(const torch::Tensor& cells, const torch::Tensor& values, const torch::Tensor& missing);

// Each class is regressed on by itself. In most fits the columns count as they correlate with the label; three learn
// how much each column counts (column_scales.h), and in ridge regressions all columns count alike. The fits with the
// smallest errors at rows of the context that were left out count most. At most kMaxFitRows rows of the context are
// used, evenly spaced ones.
class KernelFits {
 public:
  static constexpr int64_t kMaxFitRows = 1024;

  // Rows of the context and their labels [c], as in LabelInputs(); on the CPU, c > 0.
  KernelFits(const FitRows& context, const Attributes& columns, const torch::Tensor& labels, int64_t classes);

  // For the rows of the context, each predicted from the others (Rasmussen and Williams, 2006, eq. 5.12).
  FitPredictions LeftOut() const;

  // For other rows (eq. 2.25).
  FitPredictions Predict(const FitRows& rows) const;

 private:
  torch::Tensor SquaredDistances(const FitRows& rows, const FitRows& others, int64_t column) const;
  torch::Tensor Products(const FitRows& rows, int64_t column) const;
  torch::Tensor RidgeKernel(const FitRows& rows) const;
  torch::Tensor SameCodes(const FitRows& rows, int64_t column) const;
  void FitScales(const torch::Tensor& targets);
  std::vector<torch::Tensor> Kernels(const FitRows& rows) const;
  torch::Tensor PredictEach(const FitRows& rows) const;
  void Calibrate(const torch::Tensor& combined, const torch::Tensor& targets);
  FitPredictions Combine(const torch::Tensor& each) const;

  int64_t classes_ = 0;
  Attributes columns_;
  FitRows context_;
  torch::Tensor used_;                   // int64: the rows of the context that are fitted
  FitRows fitted_;                       // these rows
  torch::Tensor relevance_;              // [d], 1 on average
  ColumnScales scales_;                  // of the last fits
  torch::Tensor mean_;                   // [outputs] of the labels
  std::vector<torch::Tensor> weights_;   // of each fit [rows, outputs]
  torch::Tensor left_out_;               // [rows, kFits, outputs]
  torch::Tensor errors_;                 // [kFits], mean squared
  torch::Tensor shares_;                 // [kFits] of the mean
  double deviation_ = 1;                 // of the mean's errors
  double floor_ = 0.01, sharpness_ = 1;  // of the probabilities of classes
};

// The inputs of a network for rows whose label is known and for others, [n, kLabelInputs + kFitInputs].
torch::Tensor KnownLabels(const torch::Tensor& labels, int64_t classes, const KernelFits& fits);
torch::Tensor UnknownLabels(int64_t classes, const FitPredictions& predicted);

}  // namespace haplospin
