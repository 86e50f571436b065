#include "learning/tabular/error_quantiles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "haplospin/errors.h"

namespace haplospin {

double NormalQuantile(double probability) {
  double low = -40, high = 40;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < probability ? low : high) = middle;
  }
  return low;
}

double ErrorQuantile(std::span<const float> sorted, double probability) {
  HS_ASSERT(sorted.size() >= 2);
  const auto n = static_cast<double>(sorted.size());
  const double inside = std::clamp(probability, 1 / (n + 1), n / (n + 1));
  const double place = inside * (n + 1) - 1;  // a further error is as likely in each of the n + 1 gaps
  const auto index = std::min(static_cast<size_t>(place), sorted.size() - 2);
  const double share = place - static_cast<double>(index);
  const double quantile = sorted[index] + share * (sorted[index + 1] - sorted[index]);
  return inside == probability ? quantile : quantile * NormalQuantile(probability) / NormalQuantile(inside);
}

}  // namespace haplospin
