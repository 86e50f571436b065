// The loops of the regression, for several instruction sets; the best one of the machine is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace haplospin {

// counts[r] = bits set both in `bits` and in row r, for `num_rows` rows of `words` words one after the other.
void CountCommonBits(const uint64_t* bits, const uint64_t* rows, size_t words, size_t num_rows, uint32_t* counts);

// The sum of a[k] * b[k] over k < n.
float Dot(const float* a, const float* b, size_t n);

}  // namespace haplospin
