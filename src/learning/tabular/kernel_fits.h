// Gaussian process regressions of targets on the columns of a table.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "learning/nn/layers/attributes.h"
#include "learning/tabular/boosted_trees.h"
#include "learning/tabular/table_encoder.h"

namespace haplospin {

// The features of rows. The numbers of a column that is a category, and missing numbers, are 0.
struct KernelRows {
  torch::Tensor standardized;  // [n, d], cut off beyond the tails of the known numbers
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
    float low = 0, high = 0;  // beyond these, numbers are cut off
  };

  Attributes columns_;
  std::vector<Scale> scales_;
};

// The weights of the columns in the learned kernel exp(-sum_j scales_j |x_j - x'_j|).
struct ColumnScales {
  torch::Tensor scales;  // [d]
  double noise = 0;      // variance, relative to the kernel's
};

// The weighted mean of regressions of targets with several kernels and noises. In most kernels a column counts as much
// as it correlates with the targets; in one, how much each column counts is learned, and in ridge regressions all
// columns count alike. Each fitted row is predicted from the others (Rasmussen and Williams, 2006, eq. 5.12), and the
// regressions with the smallest errors get the largest weights.
class KernelFits {
 public:
  // Features and targets [n, outputs] of known rows, n > 0, on the CPU: a number of variance 1, or 0 and 1 for each
  // class. All regressions are compared on at most 1,024 evenly spaced rows. Those that count are then fitted to at
  // most 2,048.
  KernelFits(const EncodedTable& known, const Attributes& columns, const torch::Tensor& targets,
             const Advance& advance = {});

  // The mean of each target, [n, outputs].
  torch::Tensor Predict(const EncodedTable& rows) const;

  // Predicts some of the known rows, int64 in ascending order. A row that was fitted is predicted from the others.
  torch::Tensor PredictKnown(const EncodedTable& known, const torch::Tensor& rows) const;

 private:
  torch::Tensor SquaredDistances(const KernelRows& rows, const KernelRows& others, int64_t column) const;
  torch::Tensor Products(const KernelRows& rows, int64_t column) const;
  torch::Tensor RidgeKernel(const KernelRows& rows) const;
  torch::Tensor SameCodes(const KernelRows& rows, int64_t column) const;
  void FitScales(const torch::Tensor& targets);
  void Fit(const KernelRows& known, const torch::Tensor& targets, int64_t max_rows, const Advance& advance);
  void KeepBestFits();
  std::vector<torch::Tensor> Kernels(const KernelRows& rows) const;

  Attributes attributes_;
  KernelColumns columns_;
  std::vector<size_t> fits_;            // the regressions that count
  torch::Tensor index_;                 // the known rows that were fitted
  KernelRows fitted_;                   // their features
  torch::Tensor relevance_;             // [d], 1 on average
  ColumnScales scales_;                 // scales of the learned kernel
  torch::Tensor mean_;                  // mean of the targets, [outputs]
  std::vector<torch::Tensor> weights_;  // weights of each fit, [rows, outputs]
  torch::Tensor shares_;                // share of each fit in the mean, [fits, 1]
  torch::Tensor left_out_;              // each fitted row predicted from the others, [rows, outputs]
};

}  // namespace haplospin
