#include "nn/layers/translation_equivariant_attention.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

namespace haplospin {
namespace {

constexpr auto kDouble = torch::kFloat64;

struct Sizes {
  int64_t b, heads, n, m, dx;
  bool updates;
};

PairAttentionInputs RandomInputs(const Sizes& s) {
  const auto leaf = [](torch::IntArrayRef sizes) { return torch::randn(sizes, kDouble).requires_grad_(true); };
  const auto mlp = [&](int64_t in, int64_t hidden, int64_t out) {
    return std::vector<torch::Tensor>{leaf({hidden, in}), leaf({hidden}),      leaf({hidden, hidden}),
                                      leaf({hidden}),     leaf({out, hidden}), leaf({out})};
  };
  PairAttentionInputs in{leaf({s.b, s.heads, s.n, 3}),
                         leaf({s.b, s.heads, s.m, 3}),
                         leaf({s.b, s.heads, s.m, 2}),
                         leaf({s.b, s.n, s.dx}),
                         leaf({s.b, s.m, s.dx}),
                         mlp(s.heads + s.dx, 7, s.heads),
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
std::vector<torch::Tensor> Results(const PairAttentionInputs& in, const PairAttentionSettings& settings,
                                   const torch::Tensor& weights, const torch::Tensor& x_weights) {
  const PairAttentionResult result = PairAttention(in, 0.7, settings);
  std::vector<torch::Tensor> results{result.output.detach(), result.query_x.detach()};
  const torch::Tensor loss = (result.output * weights).sum() + (result.query_x * x_weights).sum();
  for (const torch::Tensor& gradient : torch::autograd::grad({loss}, Leaves(in))) results.push_back(gradient);
  return results;
}

TEST(PairAttention, BlockedEqualsPlainInValuesAndGradients) {
  torch::manual_seed(1);
  const std::vector<Sizes> cases = {{1, 1, 1, 1, 1, true},
                                    {2, 2, 5, 4, 1, true},
                                    {3, 2, 7, 9, 2, false},
                                    {2, 4, 12, 3, 3, true},
                                    {4, 1, 2, 6, 1, true}};
  for (const Sizes& sizes : cases) {
    const PairAttentionInputs in = RandomInputs(sizes);
    const torch::Tensor weights = torch::randn({sizes.b, sizes.heads, sizes.n, 2}, kDouble);
    const torch::Tensor x_weights = torch::randn({sizes.b, sizes.n, sizes.dx}, kDouble);
    const auto expected = Results(in, {.kernel = PairKernel::kPlain}, weights, x_weights);
    // From one query of one task at a time to all at once.
    for (const int64_t bytes : {1, 400, 2000, 1 << 20}) {
      const auto found = Results(in, {.kernel = PairKernel::kBlocked, .block_bytes = bytes}, weights, x_weights);
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
  const auto number = [](double value) { return torch::full({1, 1}, value, kDouble); };
  PairAttentionInputs in;
  in.queries = torch::ones({1, 1, 1, 1}, kDouble);
  in.keys = torch::tensor({3.0, 1.0}, kDouble).view({1, 1, 2, 1});
  in.values = torch::tensor({10.0, 20.0}, kDouble).view({1, 1, 2, 1});
  in.query_x = torch::full({1, 1, 1}, 5.0, kDouble);
  in.key_x = torch::tensor({4.0, 2.0}, kDouble).view({1, 2, 1});
  in.rho = {torch::tensor({{1.0, -1.0}}, kDouble),
            torch::full({1}, 100.0, kDouble),
            number(1),
            torch::zeros({1}, kDouble),
            number(1),
            torch::full({1}, -100.0, kDouble)};
  in.phi = {number(0), torch::zeros({1}, kDouble),    number(0), torch::zeros({1}, kDouble),
            number(0), torch::full({1}, 0.5, kDouble)};
  // Logits 0.5 * 3 - 1 and 0.5 * 1 - 3.
  const double a = std::exp(0.5), b = std::exp(-2.5);
  const PairAttentionResult result = PairAttention(in, 0.5);
  EXPECT_NEAR(result.output.item<double>(), (10 * a + 20 * b) / (a + b), 1e-12);
  EXPECT_NEAR(result.query_x.item<double>(), 5 + 0.5 * (0.5 * 1 + 0.5 * 3), 1e-12);  // C = 1 / 2
}

TEST(PairAttention, WithoutKeysNothingHappens) {
  PairAttentionInputs in = RandomInputs({2, 2, 3, 1, 1, true});
  in.keys = in.keys.narrow(2, 0, 0);
  in.values = in.values.narrow(2, 0, 0);
  in.key_x = in.key_x.narrow(1, 0, 0);
  const PairAttentionResult result = PairAttention(in, 1.0);
  EXPECT_EQ(result.output.abs().max().item<double>(), 0.0);
  EXPECT_TRUE(result.query_x.equal(in.query_x));
}

TEST(TeAttention, MovesWithItsLocations) {
  torch::manual_seed(2);
  TeAttention attention(TeAttentionOptions{.width = 16, .heads = 4, .locations = 2, .kernel_width = 8});
  attention->to(kDouble);
  const torch::Tensor q = torch::randn({2, 5, 16}, kDouble), k = torch::randn({2, 7, 16}, kDouble);
  const torch::Tensor qx = torch::randn({2, 5, 2}, kDouble), kx = torch::randn({2, 7, 2}, kDouble);
  const torch::Tensor shift = torch::tensor({3.0, -8.0}, kDouble);
  const auto [z, x] = attention(q, qx, k, kx);
  const auto [moved_z, moved_x] = attention(q, qx + shift, k, kx + shift);
  EXPECT_TRUE(torch::allclose(moved_z, z, 1e-10, 1e-10));
  EXPECT_TRUE(torch::allclose(moved_x, x + shift, 1e-10, 1e-10));
  EXPECT_FALSE(torch::allclose(x, qx));
}

}  // namespace
}  // namespace haplospin
