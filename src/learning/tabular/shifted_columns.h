// Columns whose values in new rows are not those of the known ones.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/nn/layers/attributes.h"
#include "learning/tabular/table_encoder.h"

namespace haplospin {

// A feature that is empty in all new rows though it hardly was in the known ones, or whose numbers are elsewhere: as
// those of another unit are.
struct ColumnShift {
  int64_t column = 0;
  bool is_empty = false;
  double known_low = 0, known_high = 0, low = 0, high = 0;  // ranges in standardized units
};

// Compares the distribution of each number in new rows, which may come in parts, with that in known rows.
class ShiftedColumns {
 public:
  ShiftedColumns(const EncodedTable& known, const Attributes& attributes, const torch::Tensor& is_target);

  void Add(const EncodedTable& rows);

  std::vector<ColumnShift> Find() const;

 private:
  struct Known {
    int64_t column = 0;
    double missing = 0;          // share of the known rows
    std::vector<float> sorted;   // numbers of the known rows; empty for a category
    std::vector<size_t> counts;  // new rows between two of them
    size_t present = 0, far = 0;
    float low = 0, high = 0;  // the range in the new rows
  };
  static bool IsElsewhere(const Known& column);

  std::vector<Known> columns_;
  int64_t rows_ = 0;
};

}  // namespace haplospin
