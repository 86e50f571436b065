// Mixed precision: matrix products in bfloat16, weights and sums in float.
#pragma once

#include <torch/types.h>

namespace haplospin {

// Turns on LibTorch's autocast with bfloat16 on the device for its lifetime. Put the forward pass and the loss in its
// scope and the backward pass outside it. bfloat16 has float's range, so no loss scaling is needed.
class MixedPrecision {
 public:
  MixedPrecision(torch::Device device, bool enabled);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  torch::DeviceType device_;
  bool was_enabled_;
  torch::ScalarType previous_type_;
};

}  // namespace haplospin
