// Random orders of 0, 1, ..., n - 1.
#pragma once

#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "core/random.h"

namespace haplospin {

// Every order is equally likely.
template <typename T>
std::vector<T> RandomOrder(std::integral auto n, RandomStream& random) {
  std::vector<T> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), T{});
  random.Shuffle(std::span(order));
  return order;
}

}  // namespace haplospin
