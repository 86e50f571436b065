// Gaussian process regressions of a label on the columns of a table.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "nn/layers/attributes.h"
#include "tabular/table_encoder.h"

namespace haplospin {

// The features of rows. The numbers of a column that is a category, and missing numbers, are 0.
struct KernelRows {
  torch::Tensor standardized;  // [n, d]
  torch::Tensor forms;         // [n, d, 2]: inverse hyperbolic sine and rank of each standardized number
  torch::Tensor codes;         // [n, d] float: the category, 0 for a number, -1 if missing

  KernelRows At(const torch::Tensor& index) const {
    return {standardized.index_select(0, index), forms.index_select(0, index), codes.index_select(0, index)};
  }
};

// Standardizes numbers and ranks them by those of the known rows.
class KernelColumns {
 public:
  // Rows of features only, on the CPU.
  KernelColumns(const EncodedTable& known, const Attributes& columns);

  // Rows of the same columns.
  KernelRows Transform(const EncodedTable& rows) const;

 private:
  struct Scale {
    std::vector<float> sorted;
    float mean = 0, deviation = 1;
  };

  Attributes columns_;
  std::vector<Scale> scales_;
};

// The weights of the columns in the learned kernel exp(-sum_j scales_j |x_j - x'_j|).
struct ColumnScales {
  torch::Tensor scales;  // [d]
  double noise = 0;      // variance, relative to the kernel's
};

// The weighted mean of regressions with several kernels and noises. Each class is regressed on by itself, as a number
// of 0 or 1. In most kernels a column counts as much as it correlates with the label; in one, how much each column
// counts is learned, and in ridge regressions all columns count alike. Each known row is predicted
// from the others (Rasmussen and Williams, 2006, eq. 5.12), and the regressions with the smallest errors get the
// largest weights.
class KernelFits {
 public:
  // Features of known rows and their labels [n], n > 0: numbers of mean 0 and variance 1 (classes 0), or classes. At
  // most 1,024 of the rows are fitted, evenly spaced ones. On the CPU.
  KernelFits(const EncodedTable& known, const Attributes& columns, const torch::Tensor& labels, int64_t classes);

  // Logits of each class, [n, classes], or of each bin of a number, [n, kNumberBins] (number_bins.h).
  torch::Tensor Predict(const EncodedTable& rows) const;

 private:
  torch::Tensor SquaredDistances(const KernelRows& rows, const KernelRows& others, int64_t column) const;
  torch::Tensor Products(const KernelRows& rows, int64_t column) const;
  torch::Tensor RidgeKernel(const KernelRows& rows) const;
  torch::Tensor SameCodes(const KernelRows& rows, int64_t column) const;
  void FitScales(const torch::Tensor& targets);
  std::vector<torch::Tensor> Kernels(const KernelRows& rows) const;
  void Calibrate(const torch::Tensor& combined, const torch::Tensor& targets);

  int64_t classes_ = 0;
  Attributes attributes_;
  KernelColumns columns_;
  KernelRows fitted_;
  torch::Tensor relevance_;              // [d], 1 on average
  ColumnScales scales_;                  // scales of the learned kernel
  torch::Tensor mean_;                   // mean of the labels, [outputs]
  std::vector<torch::Tensor> weights_;   // weights of each fit, [rows, outputs]
  torch::Tensor shares_;                 // share of each fit in the mean, [fits, 1]
  double deviation_ = 1;                 // standard deviation of the errors
  double floor_ = 0.01, sharpness_ = 1;  // calibration of the probabilities of classes
};

}  // namespace haplospin
