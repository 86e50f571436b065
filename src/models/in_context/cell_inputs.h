// A table of any columns as inputs of a network that was trained on other tables.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "nn/layers/attributes.h"

namespace haplospin {

// Places of a cell's inputs: three forms of a number, of which the last is its rank, waves of the rank, and the others.
inline constexpr int64_t kStandardizedInput = 0, kRankInput = 2, kWaves = 4,
                         kMissingInput = kRankInput + 1 + 2 * kWaves, kIsCategoryInput = kMissingInput + 1,
                         kCodeInputs = 7, kColumnCodeInput = kIsCategoryInput + 1,
                         kCategoryCodeInput = kColumnCodeInput + kCodeInputs,
                         kCellInputs = kCategoryCodeInput + kCodeInputs;
inline constexpr int64_t kLabelInputs = 21;
inline constexpr int64_t kMaxClasses = 10;  // of a label

// Rows of a table. What is measured on columns is measured on the first `context` rows, whose labels are known.
struct TaskTable {
  torch::Tensor values;   // [n, d] float: numbers of any scale, or categories 0, 1, ...; 0 where missing
  torch::Tensor missing;  // [n, d] bool
  Attributes columns;
  int64_t context = 0;
};

// For each cell: the standardized number, its rank among those of the context (linear and as waves), whether it is
// missing or a category, and random numbers that are the same in all cells of a column and category, by which the
// network tells these apart. Numbers stand for categories too, in a random order.
class CellEncoder {
 public:
  CellEncoder(const TaskTable& table, uint64_t seed);
  ~CellEncoder();
  CellEncoder(CellEncoder&&) noexcept;

  // Of rows of the same columns, [n, d] -> [n, d, kCellInputs].
  torch::Tensor Encode(const torch::Tensor& values, const torch::Tensor& missing) const;

 private:
  class Column;
  std::vector<Column> columns_;
};

// Of all rows of the table.
torch::Tensor CellInputs(const TaskTable& table, uint64_t seed);

// For known labels [n]: standardized numbers (classes 0), or classes; [n, kLabelInputs].
torch::Tensor LabelInputs(const torch::Tensor& labels, int64_t classes);

// For a row whose label is to be predicted, [1, kLabelInputs].
torch::Tensor UnknownLabelInputs(int64_t classes);

}  // namespace haplospin
