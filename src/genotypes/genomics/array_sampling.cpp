#include "genotypes/genomics/array_sampling.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "haplospin/errors.h"

namespace haplospin {

void ArraySampling::Offer(double alt_frequency, RandomStream& random) {
  const size_t marker = num_offered_++;
  const double heterozygosity = 2 * alt_frequency * (1 - alt_frequency);
  const double uniform = 1 - random.Uniform();  // never 0
  if (heterozygosity > 0) keys_.emplace_back(std::log(uniform) / heterozygosity, marker);
}

std::vector<size_t> ArraySampling::Draw(size_t count) {
  HS_ASSERT(count <= keys_.size());
  const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(keys_.begin(), end, keys_.end(), std::greater<>());
  std::vector<size_t> drawn;
  for (auto key = keys_.begin(); key != end; ++key) drawn.push_back(key->second);
  std::ranges::sort(drawn);
  return drawn;
}

}  // namespace haplospin
