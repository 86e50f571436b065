#include "tabular/gaussian_process/kernel_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr float kFarthest = 4;  // standard deviations at which numbers are cut off
// Factors of the two forms that give both a similar spread.
constexpr float kAsinhFactor = 0.9f, kRankFactor = 1.2f;

// -1 below all, 1 above all; equal numbers have the rank of their middle.
float Rank(const std::vector<float>& sorted, float x) {
  if (sorted.empty()) return 0;
  const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), x);
  const auto below = static_cast<float>((low - sorted.begin()) + (high - sorted.begin()));
  return below / static_cast<float>(sorted.size()) - 1;
}

float Clamped(float x) { return std::clamp(x, -kFarthest, kFarthest); }

}  // namespace

KernelColumns::KernelColumns(const EncodedTable& known, const Attributes& columns)
    : columns_(columns), scales_(columns.size()) {
  HS_ASSERT(std::ssize(columns) == known.values.size(1));
  const auto values = known.values.accessor<float, 2>();
  const auto missing = known.missing.accessor<bool, 2>();
  for (size_t j = 0; j < columns.size(); ++j) {
    if (!columns[j].IsContinuous()) continue;
    Scale& scale = scales_[j];
    const auto column = static_cast<int64_t>(j);
    for (int64_t row = 0; row < known.rows(); ++row) {
      if (!missing[row][column]) scale.sorted.push_back(values[row][column]);
    }
    if (scale.sorted.empty()) continue;
    std::ranges::sort(scale.sorted);
    const auto n = static_cast<double>(scale.sorted.size());
    const double mean = std::accumulate(scale.sorted.begin(), scale.sorted.end(), 0.0) / n;
    double squares = 0;
    for (const float x : scale.sorted) squares += (x - mean) * (x - mean);
    scale.mean = static_cast<float>(mean);
    const auto deviation = static_cast<float>(std::sqrt(squares / n));
    if (deviation > 1e-6f * std::abs(scale.mean)) scale.deviation = deviation;
  }
}

KernelRows KernelColumns::Transform(const EncodedTable& given) const {
  const int64_t n = given.rows(), d = std::ssize(columns_);
  HS_ASSERT(given.values.size(1) == d);
  KernelRows rows{torch::zeros({n, d}), torch::zeros({n, d, 2}), torch::zeros({n, d})};
  const auto values = given.values.accessor<float, 2>();
  const auto missing = given.missing.accessor<bool, 2>();
  auto standardized = rows.standardized.accessor<float, 2>();
  auto forms = rows.forms.accessor<float, 3>();
  auto codes = rows.codes.accessor<float, 2>();
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t j = 0; j < d; ++j) {
      const float value = values[row][j];
      if (missing[row][j]) {
        codes[row][j] = -1;
      } else if (columns_[static_cast<size_t>(j)].IsContinuous()) {
        const Scale& scale = scales_[static_cast<size_t>(j)];
        const float number = (value - scale.mean) / scale.deviation;
        standardized[row][j] = Clamped(number);
        forms[row][j][0] = Clamped(std::asinh(number)) * kAsinhFactor;
        forms[row][j][1] = Rank(scale.sorted, value) * kRankFactor;
      } else {
        codes[row][j] = value;
      }
    }
  }
  return rows;
}

}  // namespace haplospin
