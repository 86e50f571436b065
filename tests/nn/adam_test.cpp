#include "nn/optimization/adam.h"

#include <gtest/gtest.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

namespace haplospin {
namespace {

constexpr auto kDouble = torch::kFloat64;

torch::Tensor Leaf(const torch::Tensor& values) { return values.clone().requires_grad_(true); }

// One step of a quadratic whose gradient at w is w - target.
void SetGradient(torch::Tensor weights, const torch::Tensor& target) {
  weights.mutable_grad() = (weights - target).detach();
}

TEST(AdamW, TakesTheStepsOfLibTorchs) {
  for (const double weight_decay : {0.0, 0.1}) {
    torch::manual_seed(3);
    const torch::Tensor start = torch::randn({4, 3}, kDouble);
    const torch::Tensor target = torch::randn({4, 3}, kDouble);
    torch::Tensor ours = Leaf(start);
    torch::Tensor theirs = Leaf(start);
    AdamW optimizer({{"w", ours}}, {.weight_decay = weight_decay});
    torch::optim::AdamW reference({theirs}, torch::optim::AdamWOptions(0.05).weight_decay(weight_decay));
    for (int step = 0; step < 25; ++step) {
      SetGradient(ours, target);
      SetGradient(theirs, target);
      optimizer.Step(0.05);
      reference.step();
      ASSERT_TRUE(torch::allclose(ours, theirs, 1e-10, 1e-12)) << "step " << step;
    }
  }
}

TEST(Lamb, FirstStepIsTheLearningRateTimesTheWeightNorm) {
  // After one bias-corrected step r = sign(gradient), so the step is lr * |w| / sqrt(n) along each sign.
  torch::Tensor weights = Leaf(torch::tensor({3.0, 4.0}, kDouble));
  Lamb optimizer({{"w", weights}}, {.epsilon = 0.0});
  weights.mutable_grad() = torch::tensor({0.1, -20.0}, kDouble);
  optimizer.Step(0.01);
  const double step = 0.01 * 5.0 / std::sqrt(2.0);
  EXPECT_NEAR(weights[0].item<double>(), 3.0 - step, 1e-12);
  EXPECT_NEAR(weights[1].item<double>(), 4.0 + step, 1e-12);
}

TEST(Lamb, TwoStepsByHand) {
  const AdamOptions options{.beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.2};
  torch::Tensor weights = Leaf(torch::tensor({2.0, -1.0}, kDouble));
  Lamb optimizer({{"w", weights}}, options);
  double w[2] = {2.0, -1.0};
  double m[2] = {0, 0};
  double v[2] = {0, 0};
  const double gradients[2][2] = {{0.3, -0.7}, {-0.2, 0.05}};
  for (int step = 0; step < 2; ++step) {
    double update[2];
    for (int i = 0; i < 2; ++i) {
      const double g = gradients[step][i];
      m[i] = 0.8 * m[i] + 0.2 * g;
      v[i] = 0.9 * v[i] + 0.1 * g * g;
      const double m_hat = m[i] / (1.0 - std::pow(0.8, step + 1));
      const double v_hat = v[i] / (1.0 - std::pow(0.9, step + 1));
      update[i] = m_hat / (std::sqrt(v_hat) + 1e-3) + 0.2 * w[i];
    }
    const double ratio = std::hypot(w[0], w[1]) / std::hypot(update[0], update[1]);
    for (int i = 0; i < 2; ++i) w[i] -= 0.1 * ratio * update[i];

    weights.mutable_grad() = torch::tensor({gradients[step][0], gradients[step][1]}, kDouble);
    optimizer.Step(0.1);
    EXPECT_NEAR(weights[0].item<double>(), w[0], 1e-12);
    EXPECT_NEAR(weights[1].item<double>(), w[1], 1e-12);
  }
}

TEST(Lamb, ZeroWeightsMoveByTheUnscaledStep) {
  torch::Tensor weights = Leaf(torch::zeros({2}, kDouble));
  Lamb optimizer({{"w", weights}}, {.epsilon = 0.0});
  weights.mutable_grad() = torch::tensor({2.0, -3.0}, kDouble);
  optimizer.Step(0.5);
  EXPECT_TRUE(torch::allclose(weights, torch::tensor({-0.5, 0.5}, kDouble)));
}

TEST(Optimizers, LeaveParametersWithoutGradientAlone) {
  torch::Tensor used = Leaf(torch::ones({2}, kDouble));
  torch::Tensor unused = Leaf(torch::ones({2}, kDouble));
  AdamW adam({{"used", used}, {"unused", unused}}, {.weight_decay = 0.5});
  Lamb lamb({{"used", used}, {"unused", unused}}, {.weight_decay = 0.5});
  used.mutable_grad() = torch::ones({2}, kDouble);
  adam.Step(0.1);
  lamb.Step(0.1);
  EXPECT_TRUE(torch::equal(unused, torch::ones({2}, kDouble)));
  EXPECT_FALSE(torch::equal(used, torch::ones({2}, kDouble)));
}

TEST(Optimizers, ZeroGradDropsTheGradients) {
  torch::Tensor weights = Leaf(torch::ones({2}));
  AdamW optimizer({{"w", weights}});
  weights.mutable_grad() = torch::ones({2});
  optimizer.ZeroGrad();
  EXPECT_FALSE(weights.grad().defined());
}

}  // namespace
}  // namespace haplospin
