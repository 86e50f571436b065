#include "learning/nn/layers/attention.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

#include "learning/nn/random_state.h"
#include "learning/nn/torch_compat.h"

#ifndef __has_feature  // of clang; GCC defines __SANITIZE_ADDRESS__
#define __has_feature(name) 0
#endif

namespace haplospin {
namespace {

struct Inputs {
  torch::Tensor queries, keys, values, mask;
};

Inputs RandomInputs(int64_t b, int64_t heads, int64_t n, int64_t m, int64_t e, int64_t v,
                    torch::ScalarType type = torch::kFloat64) {
  const auto leaf = [&](int64_t length, int64_t width) {
    return torch::randn({b, heads, length, width}, type).requires_grad_(true);
  };
  return {leaf(n, e), leaf(m, e), leaf(m, v), {}};
}

// Output, and the gradients of a random projection of it, in the order output, queries, keys, values.
std::vector<torch::Tensor> Results(const Inputs& in, const AttentionSettings& settings, const torch::Tensor& weights) {
  for (torch::Tensor leaf : {in.queries, in.keys, in.values}) leaf.mutable_grad().reset();
  const torch::Tensor output = Attention(in.queries, in.keys, in.values, in.mask, 0.4, settings);
  (output * weights).sum().backward();
  return {output.detach(), in.queries.grad().clone(), in.keys.grad().clone(), in.values.grad().clone()};
}

void ExpectSame(const Inputs& in, const AttentionSettings& settings, double tolerance = 1e-10) {
  const torch::Tensor weights = torch::randn(
      {in.queries.size(0), in.queries.size(1), in.queries.size(2), in.values.size(3)}, in.queries.options());
  const auto expected = Results(in, {.kernel = AttentionKernel::kPlain}, weights);
  const auto found = Results(in, settings, weights);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], expected[i], tolerance, tolerance))
        << "result " << i << " differs by " << (found[i] - expected[i]).abs().max().item<double>();
  }
}

TEST(Attention, PlainIsTheFormula) {
  const torch::Tensor queries = torch::tensor({1.0, 2.0}, torch::kFloat64).view({1, 1, 1, 2});
  const torch::Tensor keys = torch::tensor({3.0, -1.0, 0.5, 1.0}, torch::kFloat64).view({1, 1, 2, 2});
  const torch::Tensor values = torch::tensor({10.0, 20.0}, torch::kFloat64).view({1, 1, 2, 1});
  // Scores 0.5 * (1, 2.5).
  const double a = std::exp(0.5), b = std::exp(1.25);
  for (const auto kernel : {AttentionKernel::kPlain, AttentionKernel::kBlocked}) {
    const torch::Tensor output = Attention(queries, keys, values, {}, 0.5, {.kernel = kernel});
    EXPECT_NEAR(output.item<double>(), (10.0 * a + 20.0 * b) / (a + b), 1e-12);
  }
}

TEST(Attention, BlockedEqualsPlainForRandomShapesBlocksAndMasks) {
  torch::manual_seed(11);
  const auto pick = [](int64_t low, int64_t high) { return torch::randint(low, high, {1}).item<int64_t>(); };
  for (int round = 0; round < 60; ++round) {
    const int64_t b = pick(1, 5), heads = pick(1, 4), n = pick(1, 40), m = pick(1, 40);
    Inputs in = RandomInputs(b, heads, n, m, pick(1, 9), pick(1, 9));
    if (round % 3 == 1) in.mask = torch::rand({b, 1, n, m}) < 0.6;
    if (round % 3 == 2) in.mask = torch::rand({m}) < 0.3;  // broadcasts; may leave no key at all
    const AttentionSettings settings{.kernel = AttentionKernel::kBlocked, .block_bytes = pick(8, 4000)};
    SCOPED_TRACE(testing::Message() << "round " << round << ", b " << b << ", heads " << heads << ", n " << n << ", m "
                                    << m << ", block " << settings.block_bytes);
    ExpectSame(in, settings);
  }
}

TEST(Attention, BlockedEqualsPlainInFloatWithLargeScores) {
  torch::manual_seed(12);
  Inputs in = RandomInputs(2, 2, 70, 90, 8, 8, torch::kFloat32);
  const torch::NoGradGuard no_grad;
  in.queries.mul_(60);  // exp() of such scores overflows unless the maximum is taken off
  const torch::Tensor blocked =
      Attention(in.queries, in.keys, in.values, {}, 1.0, {.kernel = AttentionKernel::kBlocked, .block_bytes = 3000});
  const torch::Tensor plain = Attention(in.queries, in.keys, in.values, {}, 1.0, {.kernel = AttentionKernel::kPlain});
  EXPECT_TRUE(blocked.isfinite().all().item<bool>());
  EXPECT_TRUE(torch::allclose(blocked, plain, 1e-4, 1e-4));
}

TEST(Attention, FusedEqualsPlain) {
  if (!compat::kHasFusedAttention) GTEST_SKIP() << "this LibTorch has no fused attention";
  torch::manual_seed(13);
  for (int round = 0; round < 3; ++round) {
    Inputs in = RandomInputs(2, 3, 17, 23, 8, 8);
    if (round == 1) in.mask = torch::rand({2, 1, 17, 23}) < 0.5;
    if (round == 2)
      in.mask = torch::arange(17).view({17, 1}).expand({17, 23}) > 4;  // some queries may attend to nothing
    ExpectSame(in, {.kernel = AttentionKernel::kFused});
    ExpectSame(in, {.kernel = AttentionKernel::kAuto});
  }
}

TEST(Attention, QueryThatMayAttendToNothingGetsZeroAndNoGradient) {
  for (const auto kernel : {AttentionKernel::kPlain, AttentionKernel::kBlocked, AttentionKernel::kAuto}) {
    Inputs in = RandomInputs(1, 1, 2, 3, 4, 4);
    in.mask = torch::tensor({true, false}).view({2, 1}).expand({2, 3});
    const auto results = Results(in, {.kernel = kernel, .block_bytes = 16}, torch::ones({1, 1, 2, 4}, torch::kFloat64));
    EXPECT_TRUE(torch::equal(results[0][0][0][1], torch::zeros({4}, torch::kFloat64)));
    EXPECT_TRUE(torch::equal(results[1][0][0][1], torch::zeros({4}, torch::kFloat64)));
    for (const torch::Tensor& result : results) EXPECT_TRUE(result.isfinite().all().item<bool>());
  }
}

// Central differences of a random projection of the output, for every input value.
void ExpectGradientsMatchDifferences(const AttentionSettings& settings, uint64_t seed) {
  torch::manual_seed(21);
  Inputs in = RandomInputs(2, 1, 5, 6, 3, 2);
  in.mask = torch::rand({2, 1, 5, 6}) < 0.8;
  const torch::Tensor weights = torch::randn({2, 1, 5, 2}, torch::kFloat64);
  const auto loss = [&] {
    SeedGenerators(seed);  // the same dropout each time
    const torch::NoGradGuard no_grad;
    return (Attention(in.queries, in.keys, in.values, in.mask, 0.7, settings) * weights).sum().item<double>();
  };
  SeedGenerators(seed);
  (Attention(in.queries, in.keys, in.values, in.mask, 0.7, settings) * weights).sum().backward();
  constexpr double kStep = 1e-6;
  for (torch::Tensor leaf : {in.queries, in.keys, in.values}) {
    torch::Tensor values = leaf.detach().view({-1});
    const torch::Tensor gradient = leaf.grad().view({-1});
    for (int64_t i = 0; i < values.numel(); ++i) {
      const double at = values[i].item<double>();
      values[i] = at + kStep;
      const double above = loss();
      values[i] = at - kStep;
      const double below = loss();
      values[i] = at;
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-7);
    }
  }
}

TEST(Attention, GradientsMatchFiniteDifferences) {
  for (const auto kernel : {AttentionKernel::kPlain, AttentionKernel::kBlocked}) {
    ExpectGradientsMatchDifferences({.kernel = kernel, .block_bytes = 60}, 1);
  }
}

TEST(Attention, BackwardDrawsTheForwardPassesDropoutAgain) {
  ExpectGradientsMatchDifferences({.kernel = AttentionKernel::kBlocked, .block_bytes = 60, .dropout = 0.4}, 2);
}

TEST(Attention, BlockedBackwardLeavesTheGeneratorWhereItWas) {
  SeedGenerators(3);
  Inputs in = RandomInputs(1, 1, 8, 8, 4, 4);
  const torch::Tensor output =
      Attention(in.queries, in.keys, in.values, {}, 1.0, {.kernel = AttentionKernel::kBlocked, .dropout = 0.5});
  const torch::Tensor before = GeneratorState(torch::kCPU);
  output.sum().backward();
  EXPECT_TRUE(torch::equal(before, GeneratorState(torch::kCPU)));
}

TEST(Attention, DropoutKeepsTheExpectedWeight) {
  SeedGenerators(4);
  // Equal scores and values of 1: each output is the mean of the kept weights, 1 on average.
  const torch::Tensor zeros = torch::zeros({1, 1, 400, 2});
  const torch::Tensor ones = torch::ones({1, 1, 400, 1});
  for (const auto kernel : {AttentionKernel::kPlain, AttentionKernel::kBlocked}) {
    const torch::Tensor output =
        Attention(zeros, zeros, ones, {}, 1.0, {.kernel = kernel, .block_bytes = 20'000, .dropout = 0.3});
    EXPECT_NEAR(output.mean().item<double>(), 1.0, 0.01);
    EXPECT_NEAR(output.std().item<double>(), std::sqrt(0.3 / 0.7 / 400), 0.004);
  }
}

// The peak memory of this process in bytes.
int64_t PeakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

TEST(Attention, BlockedHoldsNeitherScoresNorWeightsInTraining) {
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  GTEST_SKIP() << "AddressSanitizer keeps freed memory";
#endif
  constexpr int64_t kLength = 5000;
  constexpr int64_t kScoreBytes = 4 * kLength * kLength;
  const Inputs in = RandomInputs(1, 1, kLength, kLength, 4, 4, torch::kFloat32);
  const auto growth = [&](AttentionKernel kernel) {
    const int64_t before = PeakMemory();
    Attention(in.queries, in.keys, in.values, {}, 1.0, {.kernel = kernel, .block_bytes = 1 << 20}).sum().backward();
    return PeakMemory() - before;
  };
  EXPECT_LT(growth(AttentionKernel::kBlocked), kScoreBytes / 4);
  EXPECT_GT(growth(AttentionKernel::kPlain), kScoreBytes);  // so that the first line can fail
}

TEST(Attention, WeightsSumToOne) {
  const Inputs in = RandomInputs(2, 2, 5, 7, 3, 3);
  const torch::Tensor weights = AttentionWeights(in.queries, in.keys, {}, 1.0);
  EXPECT_TRUE(torch::allclose(weights.sum(-1), torch::ones({2, 2, 5}, torch::kFloat64)));
}

}  // namespace
}  // namespace haplospin
