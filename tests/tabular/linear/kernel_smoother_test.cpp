#include "tabular/linear/kernel_smoother.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

const torch::Tensor kIsTarget = torch::tensor({false, false, true});

EncodedTable RandomRows(int64_t rows) { return {torch::randn({rows, 3}), torch::zeros({rows, 3}, torch::kBool)}; }

// Residuals [n, 3, 1] that are a smooth function of the features, and noise.
torch::Tensor Residuals(const EncodedTable& rows, double signal) {
  const torch::Tensor smooth = (2 * rows.values.select(1, 0)).sin() * rows.values.select(1, 1).cos();
  return (signal * smooth + 0.1 * torch::randn({rows.rows()})).view({-1, 1, 1}).expand({-1, 3, 1}).contiguous();
}

TEST(KernelSmoother, FindsWhatNeighborsShare) {
  torch::manual_seed(1);
  const EncodedTable rows = RandomRows(400), test = RandomRows(300);
  const torch::Tensor residuals = Residuals(rows, 1), truth = Residuals(test, 1);
  KernelSmoother smoother({{0}, {0}, {0}}, kIsTarget);
  smoother.Choose(rows, residuals);
  const torch::Tensor predicted = smoother.Predict(smoother.FitTo(rows, residuals), test);
  EXPECT_EQ(predicted.select(1, 0).abs().max().item<double>(), 0);
  const auto error = (predicted - truth).select(1, 2).square().mean().item<double>();
  EXPECT_LT(error, 0.2 * truth.select(1, 2).square().mean().item<double>());
}

TEST(KernelSmoother, AddsHardlyAnythingToNoise) {
  torch::manual_seed(2);
  const EncodedTable rows = RandomRows(300);
  const torch::Tensor residuals = Residuals(rows, 0);
  KernelSmoother smoother({{0}, {0}, {0}}, kIsTarget);
  smoother.Choose(rows, residuals);
  const torch::Tensor predicted = smoother.Predict(smoother.FitTo(rows, residuals), RandomRows(300));
  EXPECT_LT(predicted.square().mean().item<double>(), 0.3 * residuals.square().mean().item<double>());
}

}  // namespace
}  // namespace haplospin
