// Clips gradients between the backward pass and the optimizer step.
#pragma once

#include <vector>

#include "nn/optimization/optimizer.h"

namespace haplospin {

enum class ClippingKind {
  kNone,
  kValue,  // each value to [-limit, limit]; what NPT means by "gradient clipping at 1"
  kNorm,   // all gradients by one factor, so that their joint Euclidean norm is at most `limit`
};

struct GradientClipping {
  ClippingKind kind = ClippingKind::kNone;
  double limit = 1.0;
};

// Changes the gradients in place. Parameters without a gradient are ignored.
void ClipGradients(const std::vector<NamedParameter>& parameters, const GradientClipping& clipping);

}  // namespace haplospin
