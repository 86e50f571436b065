#include "learning/nn/layers/mab.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "learning/nn/named_tensors.h"

namespace haplospin {
namespace {

Mab MakeMab(const MabOptions& options) {
  torch::manual_seed(5);
  Mab mab(options);
  mab->to(torch::kFloat64);
  // LayerNorm is initialized as the identity; use other weights.
  const torch::NoGradGuard no_grad;
  for (auto& parameter : mab->parameters()) parameter.add_(torch::randn_like(parameter), 0.2);
  return mab;
}

// The block written out with the tensors of its state.
torch::Tensor ByHand(const MabOptions& options, const NamedTensors& w, const torch::Tensor& x, const torch::Tensor& h) {
  const auto linear = [&](const std::string& name, const torch::Tensor& in) {
    return torch::matmul(in, w.at(name + ".weight").t()) + w.at(name + ".bias");
  };
  const auto norm = [&](const std::string& name, const torch::Tensor& in) {
    const torch::Tensor centered = in - in.mean(-1, true);
    return centered / centered.square().mean(-1, true).sqrt() * w.at(name + ".weight") + w.at(name + ".bias");
  };
  const auto feed_forward = [&](const torch::Tensor& in) {
    return linear("contract", torch::gelu(linear("expand", in)));
  };
  const std::string key_norm = options.key_width == options.query_width ? "attention_norm" : "key_norm";
  const torch::Tensor keys = options.normalize_keys ? norm(key_norm, h) : h;
  const torch::Tensor q = linear("attention.query", norm("attention_norm", x));
  const torch::Tensor k = linear("attention.key", keys);
  const torch::Tensor v = linear("attention.value", keys);
  const int64_t head_width = options.query_width / options.heads;
  const double scaled_by = static_cast<double>(options.scale_by_full_width ? options.query_width : head_width);
  std::vector<torch::Tensor> heads;
  for (int64_t j = 0; j < options.heads; ++j) {
    const auto part = [&](const torch::Tensor& t) { return t.narrow(-1, j * head_width, head_width); };
    const torch::Tensor scores = torch::matmul(part(q), part(k).transpose(-2, -1)) / std::sqrt(scaled_by);
    heads.push_back(torch::matmul(scores.softmax(-1), part(v)));
  }
  const torch::Tensor o =
      (options.residual_projection ? linear("residual", x) : x) + linear("attention.output", torch::cat(heads, -1));
  return o + feed_forward(norm("feed_forward_norm", o));
}

const MabOptions kVariants[] = {
    {.query_width = 8, .key_width = 6, .heads = 2},
    {.query_width = 8, .key_width = 6, .heads = 4},
    {.query_width = 8, .key_width = 6, .residual_projection = true, .scale_by_full_width = true},
    {.query_width = 8,
     .key_width = 8,
     .heads = 2,
     .residual_projection = true,
     .normalize_keys = true,
     .scale_by_full_width = true},
    {.query_width = 8, .key_width = 6, .heads = 2, .normalize_keys = true},
};

TEST(Mab, IsThePapersFormula) {
  for (const MabOptions& options : kVariants) {
    Mab mab = MakeMab(options);
    const torch::Tensor x = torch::randn({3, 5, options.query_width}, torch::kFloat64);
    const torch::Tensor h = torch::randn({3, 7, options.key_width}, torch::kFloat64);
    EXPECT_TRUE(torch::allclose(mab(x, h), ByHand(options, ModuleState(*mab), x, h), 1e-9, 1e-9));
  }
}

TEST(Mab, GradientsMatchFiniteDifferences) {
  for (const MabOptions& variant : kVariants) {
    MabOptions options = variant;
    options.block_bytes = 64;  // through the blocked form
    Mab mab = MakeMab(options);
    const torch::Tensor x = torch::randn({2, 4, options.query_width}, torch::kFloat64).requires_grad_(true);
    const torch::Tensor h = torch::randn({2, 5, options.key_width}, torch::kFloat64).requires_grad_(true);
    const torch::Tensor projection = torch::randn({2, 4, options.query_width}, torch::kFloat64);
    const auto loss = [&] { return (mab(x, h) * projection).sum(); };
    loss().backward();

    // Along one random direction of each input and parameter.
    std::vector<torch::Tensor> leaves = mab->parameters();
    leaves.insert(leaves.end(), {x, h});
    const torch::NoGradGuard no_grad;
    constexpr double kStep = 1e-6;
    for (torch::Tensor& leaf : leaves) {
      const torch::Tensor direction = torch::randn_like(leaf);
      leaf.add_(direction, kStep);
      const double above = loss().item<double>();
      leaf.add_(direction, -2 * kStep);
      const double below = loss().item<double>();
      leaf.add_(direction, kStep);
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR((leaf.grad() * direction).sum().item<double>(), expected, 1e-5 * (1.0 + std::abs(expected)));
    }
  }
}

TEST(Mab, StartsAsASmootherThatFindsTheLikestRow) {
  for (const int64_t heads : {1, 4}) {
    Mab mab = MakeMab({.query_width = 64, .key_width = 64, .heads = heads, .residual_projection = true});
    // The part after the attention is small, but not zero: leave it out.
    mab->StartAsSmoother({.gain = 30.0, .residual = 0.5, .attended = 2.0});
    for (auto& parameter : mab->named_parameters()) {
      if (parameter.key().starts_with("contract")) parameter.value().data().zero_();
      if (parameter.key() == "attention_norm.weight") parameter.value().data().fill_(1.0);
      if (parameter.key() == "attention_norm.bias") parameter.value().data().zero_();
    }
    const torch::Tensor h = torch::randn({1, 20, 64}, torch::kFloat64);
    const torch::Tensor x = h.index_select(1, torch::tensor({7, 3}));
    EXPECT_TRUE(torch::allclose(mab(x, h), 2.5 * x, 1e-3, 1e-3)) << heads;
  }
}

TEST(Mab, DropoutActsInTrainingOnly) {
  Mab mab = MakeMab({.query_width = 8, .key_width = 8, .attention_dropout = 0.5, .hidden_dropout = 0.5});
  const torch::Tensor x = torch::randn({1, 6, 8}, torch::kFloat64);
  EXPECT_FALSE(torch::equal(mab(x, x), mab(x, x)));
  mab->eval();
  EXPECT_TRUE(torch::equal(mab(x, x), mab(x, x)));
}

TEST(Mab, WeightsAreThoseOfTheForwardPass) {
  // With one key, every weight is 1; with two equal keys, a half.
  Mab mab = MakeMab(kVariants[0]);
  const torch::Tensor x = torch::randn({1, 3, 8}, torch::kFloat64);
  const torch::Tensor h = torch::randn({1, 1, 6}, torch::kFloat64).expand({1, 2, 6});
  EXPECT_TRUE(torch::allclose(mab->Weights(x, h), torch::full({1, 2, 3, 2}, 0.5, torch::kFloat64)));
}

}  // namespace
}  // namespace haplospin
