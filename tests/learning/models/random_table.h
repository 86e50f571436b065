// Random tables for the tests of models.
#pragma once

#include <torch/nn/init.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "learning/nn/layers/attributes.h"
#include "learning/nn/layers/masking.h"

namespace haplospin {

inline const Attributes kFourAttributes{{.classes = 3}, {}, {.classes = 2}, {}};

inline torch::Tensor RandomValues(int64_t rows, const Attributes& attributes) {
  std::vector<torch::Tensor> columns;
  for (const Attribute& attribute : attributes) {
    columns.push_back(attribute.IsContinuous() ? torch::randn({rows}, torch::kFloat64)
                                               : torch::randint(attribute.classes, {rows}, torch::kFloat64));
  }
  return torch::stack(columns, 1);
}

// In double; about a third of the entries masked.
inline MaskedTable RandomTable(int64_t rows, const Attributes& attributes) {
  MaskedTable table = Unmasked(RandomValues(rows, attributes));
  MaskAtRandom(table, attributes, torch::ones({1}, torch::kBool), 0.33);
  return table;
}

inline MaskedTable TakeRows(const MaskedTable& table, const torch::Tensor& rows) {
  return {table.values.index_select(0, rows), table.masked.index_select(0, rows), table.in_loss.index_select(0, rows)};
}

// Rows of bits, of which the query's hide the last three: the parity of the first two, which only other rows tell.
struct LookUp {
  static constexpr int64_t kColumns = 9, kContext = 300, kQuery = 100;

  LookUp() {
    torch::manual_seed(3);
    class_vectors = torch::nn::init::orthogonal_(torch::empty({2, 8})) * 2.0;
    torch::Tensor rows = torch::randint(2, {kContext + kQuery, kColumns}).to(torch::kFloat32);
    for (int64_t j = 2; j < 6; ++j) rows.select(1, j).copy_(rows.select(1, j % 2));
    const torch::Tensor parity = (rows.select(1, 0) + rows.select(1, 1)).fmod(2);
    for (int64_t j = 6; j < kColumns; ++j) rows.select(1, j).copy_(parity);
    context = Unmasked(rows.narrow(0, 0, kContext));
    truth = rows.narrow(0, kContext, kQuery);
    query = Unmasked(truth.clone());
    Hide(query, (torch::arange(kColumns) >= 6).expand({kQuery, kColumns}));
  }

  template <typename Options>
  Options SmallModel(bool smoother) const {
    Options options;
    options.attributes = attributes;
    options.share_classes = true;
    options.width = 8;
    options.depth = 4;
    options.heads = 2;
    if (smoother) options.smoothed_classes = class_vectors;
    return options;
  }

  // Of the last column; predictions [kQuery, kColumns, 2].
  double Accuracy(const torch::Tensor& predictions) const {
    const torch::Tensor predicted = predictions.select(1, kColumns - 1).argmax(-1);
    return (predicted == truth.select(1, kColumns - 1)).to(torch::kFloat64).mean().item<double>();
  }

  const Attributes attributes = Attributes(kColumns, {.classes = 2});
  torch::Tensor class_vectors;  // [2, 8]
  MaskedTable context, query;
  torch::Tensor truth;
};

}  // namespace haplospin
