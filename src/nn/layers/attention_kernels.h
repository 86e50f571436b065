// Attention with vector instructions for one head on the CPU, in time that small sizes do not waste.
#pragma once

#include <cstdint>

namespace haplospin {

// Rows of `width` floats, `stride` floats apart.
struct HeadRows {
  const float* first = nullptr;
  int64_t rows = 0;
  int64_t stride = 0;
};

struct MutableHeadRows {
  float* first = nullptr;
  int64_t stride = 0;
};

struct HeadSizes {
  int64_t width = 0;
  float scale = 1.0f;  // positive
};

// out = softmax(scale Q K^T) V. keys.rows > 0.
void AttendHead(const HeadRows& queries, const HeadRows& keys, const HeadRows& values, const HeadSizes& sizes,
                const MutableHeadRows& out);

struct HeadGradients {
  MutableHeadRows queries, keys, values;
};

// Sets the gradients of AttendHead()'s inputs for the gradient of `out`.
void AttendHeadBackward(const HeadRows& queries, const HeadRows& keys, const HeadRows& values, const HeadSizes& sizes,
                        const HeadRows& out_gradient, const HeadGradients& gradients);

}  // namespace haplospin
