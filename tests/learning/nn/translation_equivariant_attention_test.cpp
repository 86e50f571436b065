#include "learning/nn/layers/translation_equivariant_attention.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <numbers>

namespace haplospin {
namespace {

constexpr int64_t kAllAtOnce = int64_t{1} << 40;  // bytes of a block

struct Sizes {
  int64_t b, heads, n, m, dx;
  bool updates;
  int64_t frequencies = 0;
};

PairAttentionInputs RandomInputs(const Sizes& s) {
  const auto leaf = [](torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kFloat64).requires_grad_(true); };
  const auto mlp = [&](int64_t in, int64_t hidden, int64_t out) {
    return std::vector<torch::Tensor>{leaf({hidden, in}), leaf({hidden}),      leaf({hidden, hidden}),
                                      leaf({hidden}),     leaf({out, hidden}), leaf({out})};
  };
  PairAttentionInputs in{leaf({s.b, s.heads, s.n, 3}),
                         leaf({s.b, s.heads, s.m, 3}),
                         leaf({s.b, s.heads, s.m, 2}),
                         leaf({s.b, s.n, s.dx}),
                         leaf({s.b, s.m, s.dx}),
                         mlp(s.heads + s.dx * (1 + 2 * s.frequencies), 7, s.heads),
                         {}};
  if (s.updates) in.phi = mlp(s.heads, 5, s.heads);
  return in;
}

std::vector<torch::Tensor> Leaves(const PairAttentionInputs& in) {
  std::vector<torch::Tensor> leaves{in.queries, in.keys, in.values, in.query_x, in.key_x};
  leaves.insert(leaves.end(), in.rho.begin(), in.rho.end());
  leaves.insert(leaves.end(), in.phi.begin(), in.phi.end());
  return leaves;
}

// Both outputs and the gradients of random projections of them.
std::vector<torch::Tensor> Results(const PairAttentionInputs& in, int64_t block_bytes, const torch::Tensor& weights,
                                   const torch::Tensor& x_weights) {
  const PairAttentionResult result = PairAttention(in, 0.7, block_bytes);
  std::vector<torch::Tensor> results{result.output.detach(), result.query_x.detach()};
  const torch::Tensor loss = (result.output * weights).sum() + (result.query_x * x_weights).sum();
  for (const torch::Tensor& gradient : torch::autograd::grad({loss}, Leaves(in))) results.push_back(gradient);
  return results;
}

TEST(PairAttention, BlockedEqualsPlainInValuesAndGradients) {
  torch::manual_seed(1);
  const std::vector<Sizes> cases = {{1, 1, 1, 1, 1, true},  {2, 2, 5, 4, 1, true}, {3, 2, 7, 9, 2, false},
                                    {2, 4, 12, 3, 3, true}, {4, 1, 2, 6, 1, true}, {2, 2, 5, 4, 2, true, 3}};
  for (const Sizes& sizes : cases) {
    const PairAttentionInputs in = RandomInputs(sizes);
    const torch::Tensor weights = torch::randn({sizes.b, sizes.heads, sizes.n, 2}, torch::kFloat64);
    const torch::Tensor x_weights = torch::randn({sizes.b, sizes.n, sizes.dx}, torch::kFloat64);
    const auto expected = Results(in, kAllAtOnce, weights, x_weights);
    // From one query of one task at a time to several tasks.
    for (const int64_t bytes : {1, 400, 2000}) {
      const auto found = Results(in, bytes, weights, x_weights);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-10, 1e-10))
            << "result " << i << ", " << bytes << " bytes";
      }
    }
  }
}

TEST(PairAttention, IsTheFormula) {
  // One head, rho the identity of its first input (scaled scores) minus its second (distance), phi constant.
  const auto number = [](double value) { return torch::full({1, 1}, value, torch::kFloat64); };
  PairAttentionInputs in;
  in.queries = torch::ones({1, 1, 1, 1}, torch::kFloat64);
  in.keys = torch::tensor({3.0, 1.0}, torch::kFloat64).view({1, 1, 2, 1});
  in.values = torch::tensor({10.0, 20.0}, torch::kFloat64).view({1, 1, 2, 1});
  in.query_x = torch::full({1, 1, 1}, 5.0, torch::kFloat64);
  in.key_x = torch::tensor({4.0, 2.0}, torch::kFloat64).view({1, 2, 1});
  in.rho = {torch::tensor({{1.0, -1.0}}, torch::kFloat64),
            torch::full({1}, 100.0, torch::kFloat64),
            number(1),
            torch::zeros({1}, torch::kFloat64),
            number(1),
            torch::full({1}, -100.0, torch::kFloat64)};
  in.phi = {number(0), torch::zeros({1}, torch::kFloat64),    number(0), torch::zeros({1}, torch::kFloat64),
            number(0), torch::full({1}, 0.5, torch::kFloat64)};
  // Logits 0.5 * 3 - 1 and 0.5 * 1 - 3.
  const double a = std::exp(0.5), b = std::exp(-2.5);
  const PairAttentionResult result = PairAttention(in, 0.5, kAllAtOnce);
  EXPECT_NEAR(result.output.item<double>(), (10 * a + 20 * b) / (a + b), 1e-12);
  EXPECT_NEAR(result.query_x.item<double>(), 5 + 0.5 * (0.5 * 1 + 0.5 * 3), 1e-12);  // C = 1 / 2
}

TEST(PairAttention, WithoutKeysNothingHappens) {
  PairAttentionInputs in = RandomInputs({2, 2, 3, 1, 1, true});
  in.keys = in.keys.narrow(2, 0, 0);
  in.values = in.values.narrow(2, 0, 0);
  in.key_x = in.key_x.narrow(1, 0, 0);
  const PairAttentionResult result = PairAttention(in, 1.0, kAllAtOnce);
  EXPECT_EQ(result.output.abs().max().item<double>(), 0.0);
  EXPECT_TRUE(result.query_x.equal(in.query_x));
}

TEST(PairAttention, ReadsSinesAndCosinesOfTheDifference) {
  // One head and rho the sum of its inputs but the score: d + sin(pi d / 2) + cos(pi d / 2) + sin(pi d) + cos(pi d).
  const auto number = [](double value) { return torch::full({1, 1}, value, torch::kFloat64); };
  const auto none = torch::zeros({1}, torch::kFloat64);
  PairAttentionInputs in;
  in.queries = in.keys = torch::zeros({1, 1, 2, 1}, torch::kFloat64);
  in.queries = in.queries.narrow(2, 0, 1);
  in.values = torch::tensor({1.0, 0.0}, torch::kFloat64).view({1, 1, 2, 1});
  in.query_x = torch::zeros({1, 1, 1}, torch::kFloat64);
  in.key_x = torch::tensor({-0.5, -0.25}, torch::kFloat64).view({1, 2, 1});
  in.rho = {torch::tensor({{0.0, 1.0, 1.0, 1.0, 1.0, 1.0}}, torch::kFloat64),
            torch::full({1}, 10.0, torch::kFloat64),
            number(1),
            none,
            number(1),
            none};
  const auto logit = [](double d) {
    const double angle = 0.5 * std::numbers::pi * d;
    return d + std::sin(angle) + std::cos(angle) + std::sin(2 * angle) + std::cos(2 * angle);
  };
  const double expected = 1 / (1 + std::exp(logit(0.25) - logit(0.5)));
  EXPECT_NEAR(PairAttention(in, 1.0, kAllAtOnce).output.item<double>(), expected, 1e-12);
}

void ExpectToMoveWithItsLocations(int64_t frequencies) {
  torch::manual_seed(2);
  TeAttention attention(
      TeAttentionOptions{.width = 16, .heads = 4, .locations = 2, .kernel_width = 8, .frequencies = frequencies});
  attention->to(torch::kFloat64);
  const torch::Tensor q = torch::randn({2, 5, 16}, torch::kFloat64), k = torch::randn({2, 7, 16}, torch::kFloat64);
  const torch::Tensor qx = torch::randn({2, 5, 2}, torch::kFloat64), kx = torch::randn({2, 7, 2}, torch::kFloat64);
  const torch::Tensor shift = torch::tensor({3.0, -8.0}, torch::kFloat64);
  const auto [z, x] = attention(q, qx, k, kx);
  const auto [moved_z, moved_x] = attention(q, qx + shift, k, kx + shift);
  EXPECT_TRUE(torch::allclose(moved_z, z, 1e-10, 1e-10));
  EXPECT_TRUE(torch::allclose(moved_x, x + shift, 1e-10, 1e-10));
  EXPECT_FALSE(torch::allclose(x, qx));
}

TEST(TeAttention, MovesWithItsLocations) {
  ExpectToMoveWithItsLocations(0);
  ExpectToMoveWithItsLocations(4);
}

}  // namespace
}  // namespace haplospin
