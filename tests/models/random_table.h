// Random tables for the tests of models.
#pragma once

#include <torch/torch.h>

#include "haplospin/nn/attributes.h"
#include "haplospin/nn/masking.h"

namespace haplospin {

inline torch::Tensor RandomValues(std::int64_t rows, const Attributes& attributes) {
  std::vector<torch::Tensor> columns;
  for (const Attribute& attribute : attributes) {
    columns.push_back(attribute.IsContinuous() ? torch::randn({rows}, torch::kFloat64)
                                               : torch::randint(attribute.classes, {rows}, torch::kFloat64));
  }
  return torch::stack(columns, 1);
}

// In double; about a third of the entries masked.
inline MaskedTable RandomTable(std::int64_t rows, const Attributes& attributes) {
  MaskedTable table = Unmasked(RandomValues(rows, attributes));
  MaskAtRandom(table, attributes, torch::ones({1}, torch::kBool), 0.33);
  return table;
}

inline MaskedTable TakeRows(const MaskedTable& table, const torch::Tensor& rows) {
  return {table.values.index_select(0, rows), table.masked.index_select(0, rows), table.in_loss.index_select(0, rows)};
}

}  // namespace haplospin
