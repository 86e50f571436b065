// The columns of a table as Gaussian processes see them.
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

  KernelRows Part(int64_t first, int64_t size) const {
    return {standardized.narrow(0, first, size), forms.narrow(0, first, size), codes.narrow(0, first, size)};
  }
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

}  // namespace haplospin
