#include "nn/optimization/mixed_precision.h"

#include "nn/torch_compat.h"

namespace haplospin {

MixedPrecision::MixedPrecision(torch::Device device, bool enabled)
    : device_(device.type()),
      was_enabled_(compat::IsAutocastEnabled(device_)),
      previous_type_(compat::AutocastType(device_)) {
  compat::SetAutocast(device_, enabled, torch::kBFloat16);
  at::autocast::increment_nesting();
}

MixedPrecision::~MixedPrecision() {
  // The outermost scope drops the cached bfloat16 copies of the weights: the next step changes the weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  compat::SetAutocast(device_, was_enabled_, previous_type_);
}

}  // namespace haplospin
