#include "nn/optimization/gradient_clipping.h"

#include <torch/nn/utils/clip_grad.h>

namespace haplospin {

void ClipGradients(const std::vector<NamedParameter>& parameters, const GradientClipping& clipping) {
  std::vector<torch::Tensor> tensors;
  for (const NamedParameter& parameter : parameters) tensors.push_back(parameter.tensor);
  switch (clipping.kind) {
    case ClippingKind::kNone:
      return;
    case ClippingKind::kValue:
      torch::nn::utils::clip_grad_value_(tensors, clipping.limit);
      return;
    case ClippingKind::kNorm:
      torch::nn::utils::clip_grad_norm_(tensors, clipping.limit);
      return;
  }
}

}  // namespace haplospin
