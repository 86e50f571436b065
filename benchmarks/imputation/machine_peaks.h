// What one core of this machine can do at best: the roofs of the roofline model (Williams et al. 2009, CACM 52:65).
#pragma once

#include <cstddef>

namespace haplospin {

// Multiplies and adds `count` times in each lane of independent vectors, in registers. Returns a value that depends on
// all of them.
float MultiplyAdd(size_t count);

// The floating-point operations of MultiplyAdd(1).
size_t MultiplyAddOperations();

// The sum of n values, a multiple of 256: reads 4 n bytes and does little else.
float ReadAll(const float* values, size_t n);

}  // namespace haplospin
