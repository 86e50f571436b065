#include "tabular/error_model.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

const Attributes kErrorAttributes = {{0}, {0}, {2}};
const torch::Tensor kErrorTargets = torch::tensor({false, true, true});

TEST(ErrorModel, KnowsWhereErrorsAreLarge) {
  torch::manual_seed(2);
  EncodedTable rows{torch::randn({800, 3}), torch::zeros({800, 3}, torch::kBool)};
  rows.values.select(1, 1).copy_(torch::randn({800}) * rows.values.select(1, 0).exp());
  rows.values.select(1, 2).fill_(1);
  ErrorModel errors(kErrorAttributes, kErrorTargets);
  errors.Fit(rows, torch::zeros({800, 3, 2}));
  const torch::Tensor deviations = errors.Deviations(rows.Masked());
  EXPECT_TRUE((deviations.select(1, 2) == 1).all().item<bool>());
  const torch::Tensor ratio = (deviations.select(1, 1) / rows.values.select(1, 0).exp()).log();
  EXPECT_LT(ratio.abs().mean().item<double>(), 0.3);
}

TEST(ErrorModel, OfAFewErrorsIsTheirDeviation) {
  const EncodedTable rows{torch::randn({4, 3}), torch::zeros({4, 3}, torch::kBool)};
  ErrorModel errors(kErrorAttributes, kErrorTargets);
  errors.Fit(rows, torch::zeros({4, 3, 2}));
  const torch::Tensor expected = rows.values.select(1, 1).square().mean().sqrt();
  EXPECT_TRUE(torch::allclose(errors.Deviations(rows.Masked()).select(1, 1), expected.expand({4})));
}

}  // namespace
}  // namespace haplospin
