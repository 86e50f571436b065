#include "nn/optimization/gradient_clipping.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace haplospin {
namespace {

std::vector<NamedParameter> ParametersWithGradients() {
  const auto make = [](const torch::Tensor& gradient) {
    torch::Tensor tensor = torch::zeros_like(gradient).requires_grad_(true);
    if (gradient.numel() > 0) tensor.mutable_grad() = gradient;
    return tensor;
  };
  return {
      {"a", make(torch::tensor({3.0f, -0.5f}))}, {"b", make(torch::tensor({4.0f}))}, {"none", make(torch::ones(0))}};
}

TEST(ClipGradients, ByValueClampsEach) {
  const auto parameters = ParametersWithGradients();
  ClipGradients(parameters, {ClippingKind::kValue, 1.0});
  EXPECT_TRUE(torch::equal(parameters[0].tensor.grad(), torch::tensor({1.0f, -0.5f})));
  EXPECT_TRUE(torch::equal(parameters[1].tensor.grad(), torch::tensor({1.0f})));
}

TEST(ClipGradients, ByNormScalesAllAlike) {
  const auto parameters = ParametersWithGradients();
  ClipGradients(parameters, {ClippingKind::kNorm, 0.5});
  const float factor = 0.5f / std::sqrt(9.0f + 0.25f + 16.0f);
  EXPECT_TRUE(torch::allclose(parameters[0].tensor.grad(), torch::tensor({3.0f, -0.5f}) * factor, 1e-4));
  EXPECT_TRUE(torch::allclose(parameters[1].tensor.grad(), torch::tensor({4.0f}) * factor, 1e-4));
}

TEST(ClipGradients, LeavesSmallGradientsAlone) {
  for (const auto kind : {ClippingKind::kNone, ClippingKind::kValue, ClippingKind::kNorm}) {
    const auto parameters = ParametersWithGradients();
    ClipGradients(parameters, {kind, 10.0});
    EXPECT_TRUE(torch::equal(parameters[0].tensor.grad(), torch::tensor({3.0f, -0.5f})));
  }
}

}  // namespace
}  // namespace haplospin
