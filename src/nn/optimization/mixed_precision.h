// Mixed precision: matrix products in bfloat16, weights and sums in float.
#pragma once

#include <torch/types.h>

namespace haplospin {

// While it lives, LibTorch's autocast runs on the device with bfloat16. Put the forward pass and the loss in its scope
// and the backward pass outside it. bfloat16 has float's range, so no loss scaling is needed.
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
