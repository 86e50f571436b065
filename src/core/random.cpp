#include "core/random.h"

#include <bit>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The output function of SplitMix64 (Steele, Lea and Flood 2014): a bijection that mixes all bits.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;

// The natural logarithm from exactly rounded operations only, so that it is the same with every C library. Relative
// error below 1e-15. This file is compiled without fused multiply-add for the same reason.
double Log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 atanh z with |z| < 0.172: the series' 14th term is below 1e-21.
  const double z = (mantissa - 1) / (mantissa + 1);
  const double square = z * z;
  double sum = 0;
  for (int k = 27; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * 0.69314718055994531 + 2 * z * sum;
}

}  // namespace

RandomStream::RandomStream(uint64_t seed, std::initializer_list<uint64_t> key) {
  uint64_t hash = Mix(seed + kGoldenRatio);
  for (const uint64_t part : key) hash = Mix((hash ^ part) + kGoldenRatio);
  for (uint64_t& word : state_) {
    hash += kGoldenRatio;
    word = Mix(hash);
  }
}

uint64_t RandomStream::operator()() {
  const uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::Uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

uint64_t RandomStream::UniformInt(uint64_t n) {
  HS_ASSERT(n > 0);
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{(*this)()} * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t threshold = (0 - n) % n;
    while (static_cast<uint64_t>(product) < threshold) product = Wide{(*this)()} * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

double RandomStream::Normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  double u = 0;
  double v = 0;
  double square = 0;
  do {
    u = 2 * Uniform() - 1;
    v = 2 * Uniform() - 1;
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  const double scale = std::sqrt(-2 * Log(square) / square);
  spare_normal_ = v * scale;
  has_spare_normal_ = true;
  return u * scale;
}

uint64_t HashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace haplospin
