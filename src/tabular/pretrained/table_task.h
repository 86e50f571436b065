// A table with the label of each row: what a network for tables is trained on.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "models/in_context/cell_inputs.h"
#include "tabular/table_encoder.h"

namespace haplospin {

// The first rows are the context; the network is to predict the labels of the others.
struct TableTask {
  TaskTable table;
  torch::Tensor labels;  // [n] float: numbers that are standardized by the context, or classes
  int64_t classes = 0;   // 0: numbers; else 0, 1, ..., classes - 1
};

// Some attributes of rows, of which the first `context` are the context.
TaskTable MakeTaskTable(const EncodedTable& rows, const Attributes& attributes, const torch::Tensor& features,
                        int64_t context);

// Mean and standard deviation of labels.
struct LabelScale {
  double mean = 0, deviation = 1;

  torch::Tensor Standardized(const torch::Tensor& labels) const { return (labels - mean) / deviation; }
};
LabelScale ScaleOf(const torch::Tensor& labels);

// The class that stands for each label in a code (label_codes.h), and how many there are.
torch::Tensor Coded(const torch::Tensor& labels, const std::vector<int64_t>& code);
int64_t CodedClasses(const std::vector<int64_t>& code);

}  // namespace haplospin
