#include "tabular/baselines.h"

#include <algorithm>
#include <vector>

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kNeighbors = 10;
constexpr int64_t kNeighborRowsAtOnce = 256;

// Means over the rows that have a value, [d, c].
Tensor Means(const EncodedTable& table, const Attributes& attributes) {
  const Tensor present = (~table.missing).sum(0).clamp_min(1).to(table.values.scalar_type());
  return Indicators(table, attributes).sum(0) / present.unsqueeze(1);
}

// Squared distances in the features, [b, n].
Tensor Distances(const EncodedTable& rows, const EncodedTable& training, const Attributes& attributes,
                 const Tensor& is_target) {
  Tensor distance = torch::zeros({rows.rows(), training.rows()}, rows.values.options());
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (is_target[j].item<bool>()) continue;
    const Tensor a = rows.values.select(1, j).unsqueeze(1), b = training.values.select(1, j).unsqueeze(0);
    const Tensor differ =
        attributes[static_cast<size_t>(j)].IsContinuous() ? (a - b).square() : (a != b).to(distance.scalar_type());
    const Tensor one_missing = rows.missing.select(1, j).unsqueeze(1) | training.missing.select(1, j).unsqueeze(0);
    const Tensor both_missing = rows.missing.select(1, j).unsqueeze(1) & training.missing.select(1, j).unsqueeze(0);
    distance += torch::where(one_missing, (~both_missing).to(distance.scalar_type()), differ);
  }
  return distance;
}

}  // namespace

Tensor Indicators(const EncodedTable& table, const Attributes& attributes) {
  int64_t outputs = 1;
  for (const Attribute& attribute : attributes) outputs = std::max(outputs, attribute.classes);
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

Tensor PredictConstant(const EncodedTable& training, const Attributes& attributes, int64_t rows) {
  return Means(training, attributes).unsqueeze(0).expand({rows, -1, -1});
}

Tensor PredictFromNeighbors(const EncodedTable& training, const EncodedTable& rows, const Attributes& attributes,
                            const Tensor& is_target) {
  const Tensor values = Indicators(training, attributes);
  // One row more, of the means: no class has a probability of 0.
  const Tensor means = Means(training, attributes);
  const int64_t k = std::min(kNeighbors, training.rows());
  Tensor weight = torch::ones({std::ssize(attributes), 1}, values.options());
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    if (attributes[static_cast<size_t>(j)].IsContinuous()) weight[j] = 0;
  }
  std::vector<Tensor> parts;
  for (int64_t first = 0; first < rows.rows(); first += kNeighborRowsAtOnce) {
    const int64_t size = std::min(kNeighborRowsAtOnce, rows.rows() - first);
    const EncodedTable part{rows.values.narrow(0, first, size), rows.missing.narrow(0, first, size)};
    const Tensor nearest =
        std::get<1>(Distances(part, training, attributes, is_target).topk(k, 1, /*largest=*/false, /*sorted=*/false));
    const Tensor sum = values.index_select(0, nearest.flatten()).view({size, k, values.size(1), values.size(2)}).sum(1);
    parts.push_back((sum + weight * means) / (static_cast<double>(k) + weight));
  }
  return torch::cat(parts);
}

}  // namespace haplospin
