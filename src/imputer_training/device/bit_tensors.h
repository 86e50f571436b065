// Alleles as bits of bytes, in the order of HaplotypeRows.
#pragma once

#include <torch/types.h>

namespace haplospin {

// [..., bytes] to [..., 8 bytes] bool.
inline torch::Tensor UnpackBits(const torch::Tensor& bytes) {
  const torch::Tensor shifts = torch::arange(8, bytes.options());
  return bytes.unsqueeze(-1).bitwise_right_shift(shifts).bitwise_and(1).to(torch::kBool).flatten(-2);
}

}  // namespace haplospin
