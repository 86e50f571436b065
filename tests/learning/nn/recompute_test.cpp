#include "learning/nn/layers/recompute.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "learning/nn/device.h"
#include "learning/nn/layers/dropout.h"
#include "learning/nn/layers/mab.h"
#include "learning/nn/random_state.h"

namespace haplospin {
namespace {

using Tensors = std::vector<torch::Tensor>;

// Layers with dropout and, where the blocks of its attention are small, with an autograd function that rewinds the
// generator itself.
Mab MakeMab(int64_t block_bytes = AttentionSettings().block_bytes) {
  SeedGenerators(1);
  return Mab(MabOptions{.query_width = 8,
                        .key_width = 8,
                        .heads = 2,
                        .attention_dropout = 0.3,
                        .hidden_dropout = 0.3,
                        .block_bytes = block_bytes});
}

// Gradients of the sum of the outputs' squares; zeros where there is none.
Tensors Gradients(const Tensors& outputs, const Tensors& wanted) {
  torch::Tensor loss = torch::zeros({});
  for (const torch::Tensor& output : outputs) loss = loss + output.to(torch::kFloat32).square().sum();
  Tensors gradients = torch::autograd::grad({loss}, wanted, {}, /*retain_graph=*/false, /*create_graph=*/false,
                                            /*allow_unused=*/true);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!gradients[i].defined()) gradients[i] = torch::zeros_like(wanted[i]);
  }
  return gradients;
}

void ExpectSame(const Tensors& found, const Tensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-5, 1e-6))
        << i << " differs by " << (found[i] - expected[i]).abs().max().item<float>();
  }
}

TEST(Recompute, GivesTheValuesAndGradientsOfThePlainComputationWithItsDropout) {
  for (const int64_t block_bytes : {int64_t{1} << 26, int64_t{64}}) {
    Mab mab = MakeMab(block_bytes);
    const torch::Tensor x = torch::randn({2, 5, 8}).requires_grad_(true);
    const torch::Tensor h = torch::randn({2, 7, 8});  // wants no gradient
    const auto block = [&](const Tensors& inputs) {
      const torch::Tensor y = mab(inputs[0], inputs[1]);
      return Tensors{y, y.sin()};
    };
    Tensors wanted = mab->parameters();
    wanted.push_back(x);

    SeedGenerators(2);
    const Tensors expected = block({x, h});
    const torch::Tensor generator = GeneratorState(torch::kCPU);
    const Tensors expected_gradients = Gradients(expected, wanted);
    SeedGenerators(2);
    const Tensors found = Recompute(block, {x, h}, mab->parameters());
    EXPECT_TRUE(torch::equal(GeneratorState(torch::kCPU), generator));
    ExpectSame(found, expected);
    torch::randn({3});  // others draw in between
    const torch::Tensor before = GeneratorState(torch::kCPU);
    ExpectSame(Gradients(found, wanted), expected_gradients);
    EXPECT_TRUE(torch::equal(GeneratorState(torch::kCPU), before));
  }
}

TEST(Recompute, BlocksInARowThatShareParametersAddUpInTheirGradients) {
  Mab mab = MakeMab();
  const torch::Tensor x = torch::randn({1, 6, 8}).requires_grad_(true);
  const auto block = [&](const Tensors& inputs) { return Tensors{mab(inputs[0], inputs[0])}; };
  const auto gradients = [&](bool recompute) {
    SeedGenerators(3);
    mab->zero_grad();
    Tensors y{x};
    for (int i = 0; i < 3; ++i) y = recompute ? Recompute(block, y, mab->parameters()) : block(y);
    (y[0] + mab(x, x)).square().sum().backward();  // and with what is not recomputed
    Tensors result;
    for (const torch::Tensor& parameter : mab->parameters()) result.push_back(parameter.grad().clone());
    return result;
  };
  ExpectSame(gradients(true), gradients(false));
}

TEST(Recompute, OneWithinAnother) {
  Mab mab = MakeMab();
  const torch::Tensor x = torch::randn({1, 6, 8}).requires_grad_(true);
  const auto inner = [&](const Tensors& inputs) { return Tensors{mab(inputs[0], inputs[0])}; };
  const auto outer = [&](const Tensors& inputs) {
    return Tensors{mab(Recompute(inner, inputs, mab->parameters())[0], inputs[0])};
  };
  Tensors wanted = mab->parameters();
  wanted.push_back(x);
  SeedGenerators(4);
  const Tensors expected = Gradients({mab(inner({x})[0], x)}, wanted);
  SeedGenerators(4);
  ExpectSame(Gradients(Recompute(outer, {x}, mab->parameters()), wanted), expected);
}

TEST(Recompute, ParametersHaveGradientsWhereNoInputHas) {
  torch::nn::Linear used(4, 2), frozen(2, 2), unused(3, 3);
  for (torch::Tensor& parameter : frozen->parameters()) parameter.requires_grad_(false);
  const torch::Tensor table = torch::randint(3, {9, 4});
  const auto block = [&](const Tensors& inputs) { return Tensors{frozen(used(inputs.at(0).to(torch::kFloat32)))}; };
  Tensors parameters = used->parameters();
  for (const auto& layer : {frozen, unused}) {
    for (const torch::Tensor& parameter : layer->parameters()) parameters.push_back(parameter);
  }
  Recompute(block, {table}, parameters)[0].square().sum().backward();
  ExpectSame({used->weight.grad(), used->bias.grad()}, Gradients(block({table}), used->parameters()));
  EXPECT_FALSE(frozen->weight.grad().defined());
  EXPECT_FALSE(unused->weight.grad().defined());
}

TEST(Recompute, RunsTheBlockASecondTimeOnlyForGradients) {
  torch::nn::Linear layer(4, 4);
  int runs = 0;
  const auto block = [&](const Tensors& inputs) {
    ++runs;
    return Tensors{layer(inputs[0]).relu()};
  };
  const torch::Tensor x = torch::randn({2, 4});
  {
    const torch::NoGradGuard no_grad;
    EXPECT_FALSE(Recompute(block, {x}, layer->parameters())[0].requires_grad());
    EXPECT_EQ(runs, 1);
  }
  const Tensors outputs = Recompute(block, {x}, layer->parameters());
  EXPECT_EQ(runs, 2);
  outputs[0].sum().backward();
  EXPECT_EQ(runs, 3);
}

TEST(Recompute, KeepsThePrecision) {
  torch::nn::Linear layer(16, 4);
  const torch::Tensor x = torch::randn({8, 16});
  const auto block = [&](const Tensors& inputs) { return Tensors{layer(inputs[0])}; };
  Tensors found, plain, after;
  {
    const MixedPrecision scope(torch::kCPU, true);
    found = Recompute(block, {x}, layer->parameters());
    after = block({x});  // must not take the block's copies of the weights, which have no gradient
  }
  {
    const MixedPrecision scope(torch::kCPU, true);
    plain = block({x});
  }
  EXPECT_EQ(found[0].scalar_type(), torch::kBFloat16);
  const Tensors expected = Gradients(plain, layer->parameters());
  ExpectSame(Gradients(found, layer->parameters()), expected);
  ExpectSame(Gradients(after, layer->parameters()), expected);
}

}  // namespace
}  // namespace haplospin
