#include "tabular/prior/random_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "haplospin/errors.h"
#include "tabular/prior/random_trees.h"

namespace haplospin {
namespace {

using Parents = std::vector<const Numbers*>;

size_t RowsOf(const Parents& parents) { return parents.front()->size(); }

void Add(Numbers& sum, const Numbers& numbers, double weight) {
  const auto by = static_cast<float>(weight);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += by * numbers[i];
}

// Some columns matter much more than others.
std::vector<double> DrawRelevances(size_t count, RandomStream& random) {
  const double unevenness = 1.5 * random.Uniform();
  std::vector<double> relevances(count);
  for (double& relevance : relevances) relevance = std::exp(unevenness * random.Normal());
  return relevances;
}

Numbers LinearFunction(const Parents& parents, RandomStream& random) {
  Numbers sum(RowsOf(parents));
  const std::vector<double> relevances = DrawRelevances(parents.size(), random);
  for (size_t j = 0; j < parents.size(); ++j) Add(sum, *parents[j], relevances[j] * random.Normal());
  return sum;
}

float Activate(uint64_t kind, float x) {
  switch (kind) {
    case 0:
      return std::tanh(x);
    case 1:
      return std::max(x, 0.0f);
    case 2:
      return std::sin(x);
    case 3:
      return std::abs(x);
    case 4:
      return std::exp(-x * x);
    case 5:
      return x > 0 ? 1.0f : 0.0f;
    case 6:
      return std::clamp(x * x, 0.0f, 25.0f);
    default:
      return std::log1p(std::exp(std::min(x, 20.0f)));
  }
}
constexpr uint64_t kActivations = 8;

Numbers NetworkFunction(const Parents& parents, RandomStream& random) {
  Numbers sum(RowsOf(parents));
  const auto units = static_cast<size_t>(LogUniform(random, 1, 24));
  const bool is_mixed = random.Bernoulli(0.3);
  const double gain = LogUniform(random, 0.5, 4);
  uint64_t kind = random.UniformInt(kActivations);
  for (size_t unit = 0; unit < units; ++unit) {
    if (is_mixed) kind = random.UniformInt(kActivations);
    Numbers hidden = LinearFunction(parents, random);
    Standardize(hidden);
    const double bias = random.Normal();
    for (float& x : hidden) x = Activate(kind, static_cast<float>(gain * x + bias));
    Add(sum, hidden, random.Normal());
  }
  return sum;
}

// Random Fourier features: a draw from a Gaussian process with a normal or Student's t spectrum.
Numbers WaveFunction(const Parents& parents, RandomStream& random) {
  constexpr int kWaves = 24;
  Numbers sum(RowsOf(parents));
  std::vector<double> relevances = DrawRelevances(parents.size(), random);
  const double frequency = LogUniform(random, 0.2, 3) / std::sqrt(static_cast<double>(parents.size()));
  const bool has_tails = random.Bernoulli(0.5);
  for (int wave = 0; wave < kWaves; ++wave) {
    Numbers angle(sum.size());
    const double faster = has_tails ? 1 / std::max(0.2, std::abs(random.Normal())) : 1;
    for (size_t j = 0; j < parents.size(); ++j) {
      Add(angle, *parents[j], frequency * faster * relevances[j] * random.Normal());
    }
    const auto phase = static_cast<float>(2 * std::numbers::pi * random.Uniform());
    for (float& x : angle) x = std::sin(x + phase);
    Add(sum, angle, random.Normal());
  }
  return sum;
}

Numbers AdditiveFunction(const Parents& parents, RandomStream& random) {
  Numbers sum(RowsOf(parents));
  const std::vector<double> relevances = DrawRelevances(parents.size(), random);
  for (size_t j = 0; j < parents.size(); ++j) {
    const Parents one = {parents[j]};
    const double which = random.Uniform();
    Numbers part = which < 0.4   ? WaveFunction(one, random)
                   : which < 0.7 ? NetworkFunction(one, random)
                                 : TreeFunction(one, random);
    Standardize(part);
    Add(sum, part, relevances[j] * random.Normal());
  }
  return sum;
}

Numbers ProductFunction(const Parents& parents, RandomStream& random) {
  Numbers sum = LinearFunction(parents, random);
  Standardize(sum);
  const auto terms = 1 + random.UniformInt(3);
  for (uint64_t term = 0; term < terms; ++term) {
    const Numbers& a = *parents[random.UniformInt(parents.size())];
    const Numbers& b = *parents[random.UniformInt(parents.size())];
    const double weight = 2 * random.Normal();
    const uint64_t kind = random.UniformInt(4);
    for (size_t i = 0; i < sum.size(); ++i) {
      const float joint = kind == 0   ? std::max(a[i], b[i])
                          : kind == 1 ? a[i] / (1 + std::abs(b[i]))
                                      : std::clamp(a[i] * b[i], -10.0f, 10.0f);
      sum[i] += static_cast<float>(weight) * joint;
    }
  }
  return sum;
}

Numbers NearestPointFunction(const Parents& parents, RandomStream& random) {
  const size_t rows = RowsOf(parents);
  const auto points = static_cast<size_t>(LogUniform(random, 2, 32));
  const std::vector<double> relevances = DrawRelevances(parents.size(), random);
  std::vector<size_t> at(points);
  Numbers values(points);
  for (size_t point = 0; point < points; ++point) {
    at[point] = random.UniformInt(rows);
    values[point] = static_cast<float>(random.Normal());
  }
  Numbers nearest(rows);
  for (size_t i = 0; i < rows; ++i) {
    double smallest = std::numeric_limits<double>::max();
    for (size_t point = 0; point < points; ++point) {
      double distance = 0;
      for (size_t j = 0; j < parents.size(); ++j) {
        const double difference = (*parents[j])[i] - (*parents[j])[at[point]];
        distance += relevances[j] * difference * difference;
      }
      if (distance < smallest) smallest = distance, nearest[i] = values[point];
    }
  }
  return nearest;
}

}  // namespace

void Standardize(Numbers& numbers) {
  double sum = 0, squares = 0;
  for (const float x : numbers) sum += x;
  const double mean = sum / static_cast<double>(numbers.size());
  for (const float x : numbers) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(numbers.size()));
  const bool varies = std::isfinite(deviation) && deviation > 1e-6 * (1 + std::abs(mean));
  for (float& x : numbers) x = varies ? static_cast<float>((x - mean) / deviation) : 0.0f;
}

double LogUniform(RandomStream& random, double low, double high) {
  return low * std::pow(high / low, random.Uniform());
}

Numbers DrawFunction(const std::vector<const Numbers*>& parents, RandomStream& random) {
  HS_ASSERT(!parents.empty());
  struct Family {
    double share;
    Numbers (*draw)(const Parents&, RandomStream&);
  };
  constexpr std::array<Family, 7> kFamilies = {{{0.14, LinearFunction},
                                                {0.26, NetworkFunction},
                                                {0.20, TreeFunction},
                                                {0.16, WaveFunction},
                                                {0.12, AdditiveFunction},
                                                {0.06, ProductFunction},
                                                {1.00, NearestPointFunction}}};
  double left = random.Uniform();
  for (const Family& family : kFamilies) {
    left -= family.share;
    if (left >= 0) continue;
    Numbers numbers = family.draw(parents, random);
    Standardize(numbers);
    return numbers;
  }
  return Numbers(RowsOf(parents));
}

}  // namespace haplospin
