// Reproducible random numbers: one independent stream per (seed, key), the same on every platform.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace haplospin {

// Xoshiro256++ (Blackman and Vigna 2021), seeded from a hash of the seed and the key. Give every unit of work its own
// key, such as {episode, haplotype}: then the draws do not depend on the order or the thread in which work is done.
// The standard library's distributions differ between platforms; use the ones here.
class RandomStream {
 public:
  using result_type = uint64_t;

  explicit RandomStream(uint64_t seed, std::initializer_list<uint64_t> key = {});

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()();

  // Draws from [0, 1), a multiple of 2^-53.
  double Uniform();

  // Draws from 0 to n - 1 without bias (Lemire 2019); n > 0.
  uint64_t UniformInt(uint64_t n);

  // Draws from the normal distribution of mean 0 and standard deviation 1 (Marsaglia's polar method).
  double Normal();

  // Returns true with probability p.
  bool Bernoulli(double p) { return Uniform() < p; }

  // Every order of the values is equally likely afterwards.
  template <typename T>
  void Shuffle(std::span<T> values) {
    for (size_t i = values.size(); i > 1; --i) {
      using std::swap;
      swap(values[i - 1], values[UniformInt(i)]);
    }
  }

 private:
  uint64_t state_[4];
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

// Returns an index drawn in proportion to the weights, which are not negative.
template <typename T>
size_t DrawIndex(std::span<const T> weights, RandomStream& random) {
  double left = random.Uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  size_t drawn = 0;
  for (; drawn + 1 < weights.size() && left >= weights[drawn]; ++drawn) left -= weights[drawn];
  while (drawn > 0 && weights[drawn] == 0) --drawn;  // rounding can lead to a weight of zero
  return drawn;
}

// How a Gibbs sampler takes one of several values: at random, or the most probable one.
enum class Choice { kDraw, kBest };

// Returns an index drawn in proportion to the weights, or that of the largest one.
template <typename T>
size_t ChooseIndex(std::span<const T> weights, Choice choice, RandomStream& random) {
  if (choice == Choice::kBest) return static_cast<size_t>(std::ranges::max_element(weights) - weights.begin());
  return DrawIndex(weights, random);
}

// Returns 0, 1, ..., n - 1 in random order.
template <typename T>
std::vector<T> RandomOrder(std::integral auto n, RandomStream& random) {
  std::vector<T> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), T{});
  random.Shuffle(std::span(order));
  return order;
}

// FNV-1a (Fowler, Noll and Vo), the same on every platform: a seed or key made from a name.
uint64_t HashName(std::string_view name);

}  // namespace haplospin
