// Sums and largest values over the lanes of a warp, or over the warps of a block.
#pragma once

namespace haplospin::kernels {

inline constexpr uint32_t kAllLanes = 0xffffffff;
inline constexpr uint32_t kMaxWarpsOfBlock = 2 * kMaxWarps;

__device__ __forceinline__ uint32_t Lane() { return threadIdx.x % kLanes; }
__device__ __forceinline__ uint32_t WarpOfBlock() { return threadIdx.x / kLanes; }

template <typename T>
__device__ __forceinline__ T WarpSum(T value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

__device__ __forceinline__ float WarpMax(float value) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, offset));
  }
  return value;
}

// The number of lower lanes whose bit of `mask` is set.
__device__ __forceinline__ uint32_t BitsBefore(uint32_t mask) { return __popc(mask & ((1u << Lane()) - 1)); }

// Sums over the threads of `warps` adjacent warps of a block from `first` on, which all of
// these receive. Every thread of the block must call it.
template <typename T>
__device__ __forceinline__ T SumOfWarps(T value, uint32_t first, uint32_t warps) {
  __shared__ T warp_values[kMaxWarpsOfBlock];
  value = WarpSum(value);
  if (warps == 1) return value;
  if (Lane() == 0) warp_values[WarpOfBlock()] = value;
  __syncthreads();
  T sum = warp_values[first];
#pragma unroll 1
  for (uint32_t w = first + 1; w < first + warps; ++w) sum += warp_values[w];
  __syncthreads();
  return sum;
}

template <typename T>
__device__ __forceinline__ T BlockSum(T value) {
  return SumOfWarps(value, 0, blockDim.x / kLanes);
}

__device__ __forceinline__ float BlockMax(float value) {
  __shared__ float warp_values[kMaxWarpsOfBlock];
  value = WarpMax(value);
  const uint32_t warps = blockDim.x / kLanes;
  if (warps == 1) return value;
  if (Lane() == 0) warp_values[WarpOfBlock()] = value;
  __syncthreads();
  float largest = warp_values[0];
#pragma unroll 1
  for (uint32_t w = 1; w < warps; ++w) largest = fmaxf(largest, warp_values[w]);
  __syncthreads();
  return largest;
}

// The sum of the values of the warps before this one, and of all warps.
struct SumsOfWarps {
  uint32_t before, all;
};

// `value` must be the same in all lanes of a warp. Every thread of the block must call it.
__device__ __forceinline__ SumsOfWarps SumWarps(uint32_t value) {
  __shared__ uint32_t warp_values[kMaxWarpsOfBlock];
  if (blockDim.x == kLanes) return {0, value};
  if (Lane() == 0) warp_values[WarpOfBlock()] = value;
  __syncthreads();
  SumsOfWarps sums = {0, 0};
#pragma unroll 1
  for (uint32_t w = 0; w < blockDim.x / kLanes; ++w) {
    if (w == WarpOfBlock()) sums.before = sums.all;
    sums.all += warp_values[w];
  }
  __syncthreads();
  return sums;
}

}  // namespace haplospin::kernels
