#include "learning/nn/optimization/optimizer.h"

#include <gtest/gtest.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

namespace haplospin {
namespace {

torch::Tensor Leaf(const torch::Tensor& values) { return values.clone().requires_grad_(true); }

// One step of a quadratic whose gradient at w is w - target.
void SetGradient(torch::Tensor weights, const torch::Tensor& target) {
  weights.mutable_grad() = (weights - target).detach();
}

TEST(AdamW, TakesTheStepsOfLibTorchs) {
  for (const double weight_decay : {0.0, 0.1}) {
    torch::manual_seed(3);
    const torch::Tensor start = torch::randn({4, 3}, torch::kFloat64);
    const torch::Tensor target = torch::randn({4, 3}, torch::kFloat64);
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
  torch::Tensor weights = Leaf(torch::tensor({3.0, 4.0}, torch::kFloat64));
  Lamb optimizer({{"w", weights}}, {.epsilon = 0.0});
  weights.mutable_grad() = torch::tensor({0.1, -20.0}, torch::kFloat64);
  optimizer.Step(0.01);
  const double step = 0.01 * 5.0 / std::sqrt(2.0);
  EXPECT_NEAR(weights[0].item<double>(), 3.0 - step, 1e-12);
  EXPECT_NEAR(weights[1].item<double>(), 4.0 + step, 1e-12);
}

TEST(Lamb, TwoStepsByHand) {
  const AdamOptions options{.beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.2};
  torch::Tensor weights = Leaf(torch::tensor({2.0, -1.0}, torch::kFloat64));
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

    weights.mutable_grad() = torch::tensor({gradients[step][0], gradients[step][1]}, torch::kFloat64);
    optimizer.Step(0.1);
    EXPECT_NEAR(weights[0].item<double>(), w[0], 1e-12);
    EXPECT_NEAR(weights[1].item<double>(), w[1], 1e-12);
  }
}

TEST(Lamb, ZeroWeightsMoveByTheUnscaledStep) {
  torch::Tensor weights = Leaf(torch::zeros({2}, torch::kFloat64));
  Lamb optimizer({{"w", weights}}, {.epsilon = 0.0});
  weights.mutable_grad() = torch::tensor({2.0, -3.0}, torch::kFloat64);
  optimizer.Step(0.5);
  EXPECT_TRUE(torch::allclose(weights, torch::tensor({-0.5, 0.5}, torch::kFloat64)));
}

TEST(Optimizers, LeaveParametersWithoutGradientAlone) {
  torch::Tensor used = Leaf(torch::ones({2}, torch::kFloat64));
  torch::Tensor unused = Leaf(torch::ones({2}, torch::kFloat64));
  AdamW adam({{"used", used}, {"unused", unused}}, {.weight_decay = 0.5});
  Lamb lamb({{"used", used}, {"unused", unused}}, {.weight_decay = 0.5});
  used.mutable_grad() = torch::ones({2}, torch::kFloat64);
  adam.Step(0.1);
  lamb.Step(0.1);
  EXPECT_TRUE(torch::equal(unused, torch::ones({2}, torch::kFloat64)));
  EXPECT_FALSE(torch::equal(used, torch::ones({2}, torch::kFloat64)));
}

TEST(Optimizers, ZeroGradDropsTheGradients) {
  torch::Tensor weights = Leaf(torch::ones({2}));
  AdamW optimizer({{"w", weights}});
  weights.mutable_grad() = torch::ones({2});
  optimizer.ZeroGrad();
  EXPECT_FALSE(weights.grad().defined());
}

// w -= learning rate, whatever the gradient: makes the slow weights easy to work out.
class Descend : public Optimizer {
 public:
  using Optimizer::Optimizer;
  void Step(double learning_rate) override {
    const torch::NoGradGuard no_grad;
    for (const NamedParameter& parameter : parameters()) torch::Tensor(parameter.tensor).sub_(learning_rate);
  }
  NamedTensors State() override { return {}; }
};

struct Setting {
  explicit Setting(const LookaheadOptions& options)
      : weight(torch::zeros({1}, torch::kFloat64).requires_grad_(true)),
        lookahead(std::make_unique<Descend>(std::vector<NamedParameter>{{"w", weight}}), options) {}
  double Fast() const { return weight.item<double>(); }
  double Slow() { return lookahead.State().at("slow.w").item<double>(); }
  torch::Tensor weight;
  Lookahead lookahead;
};

TEST(Lookahead, SynchronizedStepsBackEveryPeriod) {
  Setting setting({.period = 3, .slow_rate = 0.5, .synchronize = true});
  const double expected[] = {-1.0, -2.0, -1.5, -2.5, -3.5, -3.0};
  for (const double value : expected) {
    setting.lookahead.Step(1.0);
    EXPECT_DOUBLE_EQ(setting.Fast(), value);
  }
  EXPECT_DOUBLE_EQ(setting.Slow(), -3.0);
}

TEST(Lookahead, UnsynchronizedIsAMovingAverage) {
  Setting setting({.period = 1, .slow_rate = 0.2, .synchronize = false});
  double average = 0;
  for (int step = 1; step <= 10; ++step) {
    setting.lookahead.Step(1.0);
    average = 0.8 * average + 0.2 * -step;
    EXPECT_DOUBLE_EQ(setting.Fast(), -step);
    EXPECT_NEAR(setting.Slow(), average, 1e-12);
  }
}

TEST(Lookahead, SlowWeightsStandInForAScope) {
  Setting setting({.period = 1, .slow_rate = 0.25, .synchronize = false});
  setting.lookahead.Step(4.0);
  {
    const SlowWeights slow(setting.lookahead);
    EXPECT_DOUBLE_EQ(setting.Fast(), -1.0);
  }
  EXPECT_DOUBLE_EQ(setting.Fast(), -4.0);
  EXPECT_DOUBLE_EQ(setting.Slow(), -1.0);
}

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
