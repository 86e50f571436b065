// The words of CUDA C++ that kernels use, as C++ on the CPU. The threads of a block are fibers, which meet at each
// operation of a warp or a block (emulated_driver.cpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace haplospin::kernels {

using std::max;
using std::min;

struct Index {
  uint32_t x = 0, y = 0;
};
struct float4 {
  float x, y, z, w;
};

// Of the fiber that runs.
extern Index threadIdx, blockIdx, blockDim, gridDim;

// Waits for the other lanes of the warp, and returns what each of them gave.
const uint64_t* ExchangeInWarp(uint64_t value);
// Waits for the other threads of the block.
void WaitForBlock();

inline void __syncthreads() { WaitForBlock(); }
inline void __syncwarp() { ExchangeInWarp(0); }

// The value of lane `from`.
template <typename T>
T __shfl_sync(uint32_t, T value, uint32_t from) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t bits = 0;
  std::copy_n(reinterpret_cast<const char*>(&value), sizeof(T), reinterpret_cast<char*>(&bits));
  const uint64_t other = ExchangeInWarp(bits)[from];
  std::copy_n(reinterpret_cast<const char*>(&other), sizeof(T), reinterpret_cast<char*>(&value));
  return value;
}
template <typename T>
T __shfl_xor_sync(uint32_t lanes, T value, int mask) {
  return __shfl_sync(lanes, value, threadIdx.x % 32 ^ static_cast<uint32_t>(mask));
}
template <typename T>
T __shfl_down_sync(uint32_t lanes, T value, uint32_t distance) {
  return __shfl_sync(lanes, value, std::min(threadIdx.x % 32 + distance, 31u));
}

inline uint32_t __ballot_sync(uint32_t, uint32_t predicate) {
  const uint64_t* predicates = ExchangeInWarp(predicate != 0 ? 1 : 0);
  uint32_t mask = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) mask |= static_cast<uint32_t>(predicates[lane]) << lane;
  return mask;
}

// Fibers change only at the operations above.
template <typename T>
void atomicAdd(T* to, T value) {
  *to += value;
}
inline void atomicOr(uint32_t* to, uint32_t bits) { *to |= bits; }

template <typename T>
T __ldg(const T* from) {
  return *from;
}
inline int __popc(uint32_t bits) { return std::popcount(bits); }
inline int __ffs(uint32_t bits) { return bits == 0 ? 0 : std::countr_zero(bits) + 1; }
inline int __clz(uint32_t bits) { return std::countl_zero(bits); }
inline float __logf(float value) { return std::log(value); }
inline uint32_t __float_as_uint(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace haplospin::kernels

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA chose these names.
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
// NOLINTEND(bugprone-reserved-identifier)
