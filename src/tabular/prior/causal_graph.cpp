#include "tabular/prior/causal_graph.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"

namespace haplospin {
namespace {

Numbers DrawCause(size_t rows, RandomStream& random) {
  Numbers numbers(rows);
  const double kind = random.Uniform();
  const uint64_t groups = 2 + random.UniformInt(5);
  const double spread = LogUniform(random, 0.05, 1);
  std::vector<double> centers(groups);
  for (double& center : centers) center = random.Normal();
  for (float& x : numbers) {
    double drawn = random.Normal();
    if (kind < 0.25) drawn = random.Uniform();
    if (kind >= 0.6 && kind < 0.7) drawn = std::exp(drawn);
    if (kind >= 0.7 && kind < 0.8) drawn /= std::max(0.3, std::abs(random.Normal()));
    if (kind >= 0.8) drawn = centers[random.UniformInt(groups)] + spread * drawn;
    x = static_cast<float>(drawn);
  }
  Standardize(numbers);
  return numbers;
}

void AddNoise(Numbers& numbers, double deviation, RandomStream& random) {
  for (float& x : numbers) x += static_cast<float>(deviation * random.Normal());
  Standardize(numbers);
}

// Mixes the columns with a few common factors.
void Correlate(std::vector<Numbers>& columns, RandomStream& random) {
  const size_t rows = columns.front().size();
  const uint64_t factors = 1 + random.UniformInt(3);
  for (uint64_t factor = 0; factor < factors; ++factor) {
    const Numbers common = DrawCause(rows, random);
    for (Numbers& column : columns) {
      const auto weight = static_cast<float>(random.Normal());
      for (size_t i = 0; i < rows; ++i) column[i] += weight * common[i];
    }
  }
  for (Numbers& column : columns) Standardize(column);
}

}  // namespace

std::vector<const Numbers*> DrawParents(const std::vector<Numbers>& columns, size_t max_parents, RandomStream& random) {
  const auto order = RandomOrder<size_t>(columns.size(), random);
  const auto bound = static_cast<double>(std::min(max_parents, columns.size()));
  const auto count = std::min<size_t>(columns.size(), static_cast<size_t>(LogUniform(random, 1, bound + 0.999)));
  std::vector<const Numbers*> parents;
  for (size_t i = 0; i < count; ++i) parents.push_back(&columns[order[i]]);
  return parents;
}

std::vector<Numbers> DrawCausalGraph(size_t rows, size_t count, RandomStream& random) {
  constexpr size_t kMaxParents = 5;
  const double causes = random.Bernoulli(0.4) ? 1.0 : 0.1 + 0.6 * random.Uniform();
  const double noise = LogUniform(random, 0.02, 1);
  std::vector<Numbers> columns;
  for (size_t i = 0; i < count; ++i) {
    if (columns.empty() || random.Bernoulli(causes)) {
      columns.push_back(DrawCause(rows, random));
      continue;
    }
    Numbers effect = DrawFunction(DrawParents(columns, kMaxParents, random), random);
    AddNoise(effect, noise * std::exp(0.5 * random.Normal()), random);
    columns.push_back(std::move(effect));
  }
  if (causes == 1.0 && random.Bernoulli(0.5)) Correlate(columns, random);
  return columns;
}

}  // namespace haplospin
