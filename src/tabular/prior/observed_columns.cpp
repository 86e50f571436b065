#include "tabular/prior/observed_columns.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"

namespace haplospin {

Numbers Warp(Numbers numbers, RandomStream& random) {
  const uint64_t kind = random.UniformInt(10);
  const auto strength = static_cast<float>(LogUniform(random, 0.3, 1.5));
  const auto levels = static_cast<float>(1 + random.UniformInt(8));
  for (float& x : numbers) {
    const float bounded = std::clamp(x, -6.0f, 6.0f);
    if (kind == 0) x = std::exp(strength * bounded);
    if (kind == 1) x = std::copysign(std::pow(std::abs(bounded), 1 + strength), bounded);
    if (kind == 2) x = std::tanh(2 * strength * bounded);
    if (kind == 3) x = std::round(bounded * levels);
    if (kind == 4) x = std::max(bounded, strength - 1.0f);
  }
  Standardize(numbers);
  return numbers;
}

Numbers CutIntoClasses(const Numbers& numbers, int64_t classes, RandomStream& random) {
  const double unevenness = random.Bernoulli(0.5) ? 0.2 : 1.0;
  std::vector<double> ends(static_cast<size_t>(classes));
  double sum = 0;
  for (double& end : ends) end = sum += std::exp(unevenness * random.Normal());
  Numbers sorted = numbers;
  std::ranges::sort(sorted);
  Numbers thresholds;
  for (size_t c = 0; c + 1 < ends.size(); ++c) {
    const auto at = static_cast<size_t>(ends[c] / sum * static_cast<double>(sorted.size() - 1));
    thresholds.push_back(sorted[at]);
  }
  Numbers cut(numbers.size());
  for (size_t i = 0; i < cut.size(); ++i) {
    cut[i] = static_cast<float>(std::ranges::lower_bound(thresholds, numbers[i]) - thresholds.begin());
  }
  return cut;
}

ObservedColumn Observe(const Numbers& numbers, RandomStream& random) {
  const bool is_category = random.Bernoulli(0.2);
  if (!is_category) return {Warp(numbers, random), 0};
  const auto classes = static_cast<int64_t>(LogUniform(random, 2, 12));
  const auto order = RandomOrder<float>(classes, random);
  Numbers categories = CutIntoClasses(numbers, classes, random);
  for (float& category : categories) category = order[static_cast<size_t>(category)];
  return {std::move(categories), classes};
}

}  // namespace haplospin
