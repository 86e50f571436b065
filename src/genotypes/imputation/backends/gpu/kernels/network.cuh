// A network of the imputer for one candidate or marker a thread (the order of the weights is that of Packed() in
// kernel_window.cpp).
#pragma once

namespace haplospin::kernels {

__device__ __forceinline__ float HardSwish(float x) { return x * fminf(fmaxf(fmaf(x, 1.0f / 6, 0.5f), 0), 1); }

// Copies the weights to shared memory; all threads of the block must call it.
template <uint32_t kInputs>
__device__ __forceinline__ void LoadNetwork(const float* from, float* weights) {
  for (uint32_t i = threadIdx.x; i < NetworkSize(kInputs); i += blockDim.x) weights[i] = from[i];
  __syncthreads();
}

// Adds the products of a row of weights and the inputs, both of whole vectors of four.
template <uint32_t kInputs>
__device__ __forceinline__ float AddProducts(const float* row, const float (&in)[kInputs], float sum) {
#pragma unroll
  for (uint32_t i = 0; i < kInputs; i += 4) {
    const float4 w = *reinterpret_cast<const float4*>(row + i);
    sum = fmaf(w.x, in[i], sum);
    sum = fmaf(w.y, in[i + 1], sum);
    sum = fmaf(w.z, in[i + 2], sum);
    sum = fmaf(w.w, in[i + 3], sum);
  }
  return sum;
}

// Returns the output of the network. It must not be called in a loop: the compiler would keep all weights in memory of
// the thread.
template <uint32_t kInputs>
__device__ __forceinline__ float RunNetwork(const float* weights, const float (&in)[kInputs]) {
  const float* weight1 = weights;
  const float* weight2 = weight1 + kHidden * kInputs;
  const float* weight3 = weight2 + kHidden * kHidden;
  const float* bias1 = weight3 + kHidden;
  const float* bias2 = bias1 + kHidden;
  float hidden[kHidden];
#pragma unroll
  for (uint32_t o = 0; o < kHidden; ++o) hidden[o] = HardSwish(AddProducts(weight1 + o * kInputs, in, bias1[o]));
  float out = bias2[kHidden];
#pragma unroll
  for (uint32_t o = 0; o < kHidden; ++o) {
    out = fmaf(weight3[o], HardSwish(AddProducts(weight2 + o * kHidden, hidden, bias2[o])), out);
  }
  return out;
}

}  // namespace haplospin::kernels
