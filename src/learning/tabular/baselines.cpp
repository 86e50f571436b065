#include "learning/tabular/baselines.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kNeighbors = 10;
constexpr int64_t kNeighborRowsAtOnce = 256;

// Encodes entries as a number at index 0, or as an indicator of each class; 0 where missing. [n, d, c]
Tensor Indicators(const EncodedTable& table, const Attributes& attributes) {
  const int64_t outputs = CountOutputs(attributes);
  std::vector<Tensor> columns;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    const Tensor values = table.values.select(1, j), present = ~table.missing.select(1, j);
    Tensor column = torch::zeros({values.size(0), outputs}, values.options());
    if (attributes[static_cast<size_t>(j)].IsContinuous()) {
      column.select(1, 0).copy_(values);
    } else {
      column = torch::one_hot(values.to(torch::kInt64), outputs).to(values.scalar_type());
    }
    columns.push_back(column * present.unsqueeze(1));
  }
  return torch::stack(columns, 1);
}

// Means over the rows that have a value, [d, c].
Tensor Means(const EncodedTable& table, const Attributes& attributes) {
  const Tensor present = (~table.missing).sum(0).clamp_min(1).to(table.values.scalar_type());
  return Indicators(table, attributes).sum(0) / present.unsqueeze(1);
}

// Encodes features so that squared distances add up those of the standardized numbers and 1 for different categories
// and for a missing value. [n, p]
Tensor Places(const EncodedTable& table, const Attributes& attributes, const Tensor& is_target) {
  std::vector<Tensor> places = {torch::zeros({table.rows(), 0}, table.values.options())};
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (is_target[j].item<bool>()) continue;
    const int64_t classes = attributes[static_cast<size_t>(j)].classes;
    const Tensor values = table.values.select(1, j);
    const Tensor absent = table.missing.select(1, j).to(values.scalar_type()).unsqueeze(1), present = 1 - absent;
    if (classes == 0) {
      places.insert(places.end(), {values.unsqueeze(1) * present, absent});
    } else {
      const Tensor indicators = torch::one_hot(values.to(torch::kInt64), classes) * present;
      places.push_back(torch::cat({indicators, absent}, 1) * std::sqrt(0.5));
    }
  }
  return torch::cat(places, 1);
}

}  // namespace

Tensor PredictConstant(const EncodedTable& training, const Attributes& attributes, int64_t rows) {
  return Means(training, attributes).unsqueeze(0).expand({rows, -1, -1});
}

Tensor PredictFromNeighbors(const EncodedTable& training, const EncodedTable& rows, const Attributes& attributes,
                            const Tensor& is_target) {
  const Tensor values = Indicators(training, attributes);
  // The means count as one more row, so that no class has a probability of 0.
  const Tensor means = Means(training, attributes);
  const int64_t k = std::min(kNeighbors, training.rows());
  Tensor weight = torch::ones({std::ssize(attributes), 1}, values.options());
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (attributes[static_cast<size_t>(j)].IsContinuous()) weight[j] = 0;
  }
  const Tensor known = Places(training, attributes, is_target), asked = Places(rows, attributes, is_target);
  std::vector<Tensor> parts;
  for (int64_t first = 0; first < rows.rows(); first += kNeighborRowsAtOnce) {
    const int64_t size = std::min(kNeighborRowsAtOnce, rows.rows() - first);
    const Tensor distances = torch::cdist(asked.narrow(0, first, size), known);
    const Tensor nearest = std::get<1>(distances.topk(k, 1, /*largest=*/false, /*sorted=*/false));
    const Tensor sum = values.index_select(0, nearest.flatten()).view({size, k, values.size(1), values.size(2)}).sum(1);
    parts.push_back((sum + weight * means) / (static_cast<double>(k) + weight));
  }
  return torch::cat(parts);
}

}  // namespace haplospin
