#include "nn/layers/packed_attention.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <vector>

#include "nn/layers/attention.h"

namespace haplospin {
namespace {

struct PackedInputs {
  torch::Tensor queries, keys, values;
};

PackedInputs RandomPackedInputs(int64_t b, int64_t n, int64_t m, int64_t w) {
  return {torch::randn({b, n, w}).requires_grad_(), torch::randn({b, m, w}).requires_grad_(),
          torch::randn({b, m, w}).requires_grad_()};
}

torch::Tensor PlainOfPacked(const PackedInputs& in, int64_t heads, double scale) {
  const auto split = [&](const torch::Tensor& x) {
    return x.unflatten(-1, {heads, x.size(2) / heads}).transpose(1, 2);
  };
  return Attention(split(in.queries), split(in.keys), split(in.values), {}, scale, {.kernel = AttentionKernel::kPlain})
      .transpose(1, 2)
      .flatten(-2);
}

std::vector<torch::Tensor> PackedGradients(const torch::Tensor& sum, const PackedInputs& in) {
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& tensor : {in.queries, in.keys, in.values}) tensor.mutable_grad() = torch::Tensor();
  sum.backward();
  for (const torch::Tensor& tensor : {in.queries, in.keys, in.values}) gradients.push_back(tensor.grad());
  return gradients;
}

TEST(PackedAttention, IsAttentionOfEachHeadWithItsGradients) {
  torch::manual_seed(3);
  struct Case {
    int64_t b, n, m, heads, head_width;
  };
  for (const auto& [b, n, m, heads, head_width] : {Case{3, 9, 9, 4, 16}, Case{1, 1, 1, 1, 1}, Case{2, 37, 130, 2, 5},
                                                   Case{2, 4, 16, 8, 8}, Case{5, 6, 33, 1, 40}}) {
    const PackedInputs in = RandomPackedInputs(b, n, m, heads * head_width);
    const torch::Tensor weights = torch::randn({b, n, heads * head_width});
    const torch::Tensor expected = PlainOfPacked(in, heads, 0.7),
                        actual = PackedAttention(in.queries, in.keys, in.values, heads, 0.7);
    EXPECT_TRUE(torch::allclose(actual, expected, 1e-4, 1e-5)) << n << " x " << m;
    const std::vector<torch::Tensor> right = PackedGradients((expected * weights).sum(), in);
    const std::vector<torch::Tensor> given = PackedGradients((actual * weights).sum(), in);
    for (size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(torch::allclose(given[i], right[i], 1e-3, 1e-4)) << n << " x " << m << " " << i;
  }
}

TEST(PackedAttention, LargeScoresGiveTheNearestKey) {
  const torch::Tensor keys = torch::eye(4).unsqueeze(0) * 1000, values = torch::randn({1, 4, 4});
  EXPECT_TRUE(torch::allclose(PackedAttention(keys, keys, values, 1, 1.0), values));
}

TEST(PackedAttention, DoesNotDependOnTheNumberOfThreads) {
  torch::manual_seed(4);
  const PackedInputs in = RandomPackedInputs(64, 20, 50, 32);
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const torch::Tensor one = PackedAttention(in.queries, in.keys, in.values, 4, 0.3);
  at::set_num_threads(2);
  const torch::Tensor two = PackedAttention(in.queries, in.keys, in.values, 4, 0.3);
  at::set_num_threads(before);
  EXPECT_TRUE(torch::equal(one, two));
}

}  // namespace
}  // namespace haplospin
