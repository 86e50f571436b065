#include "learning/nn/layers/dropout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kLanes = 4;  // numbers of 16 bits in a hash

// SplitMix64 (Steele, Lea and Flood, 2014) as a function of its counter.
uint64_t Hash(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

}  // namespace

torch::Tensor DropoutFactors(const torch::Tensor& like, double p) {
  HS_ASSERT(p > 0.0 && p < 1.0);
  if (!like.is_cpu()) return torch::rand_like(like).ge_(p).mul_(1.0 / (1.0 - p));
  torch::Tensor factors = torch::empty(like.sizes(), like.options().dtype(torch::kFloat32));
  auto counter = static_cast<uint64_t>(torch::randint(INT64_MAX, {1}, torch::kInt64).item<int64_t>());
  const auto dropped = static_cast<uint16_t>(std::lround(p * 65535.0));
  const float kept = static_cast<float>(1.0 / (1.0 - p));
  float* out = factors.data_ptr<float>();
  for (int64_t left = factors.numel(); left > 0; left -= kLanes, out += kLanes) {
    uint64_t hash = Hash(counter += 0x9E3779B97F4A7C15u);
    for (int64_t lane = 0; lane < std::min(kLanes, left); ++lane, hash >>= 16) {
      out[lane] = static_cast<uint16_t>(hash) < dropped ? 0.0F : kept;
    }
  }
  return factors.to(like.scalar_type());
}

DropoutImpl::DropoutImpl(double p) : p_(p) { HS_ASSERT(p >= 0.0 && p < 1.0); }

torch::Tensor DropoutImpl::forward(const torch::Tensor& x) const {
  return is_training() && p_ > 0.0 ? x * DropoutFactors(x, p_) : x;
}

}  // namespace haplospin
