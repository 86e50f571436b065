#include "nn/optimization/lookahead.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

namespace haplospin {
namespace {

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

}  // namespace
}  // namespace haplospin
