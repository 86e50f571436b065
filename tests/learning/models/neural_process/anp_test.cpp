#include "learning/models/neural_process/anp.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

namespace haplospin {
namespace {

constexpr int64_t kBlockWidth = 16, kBlockHeads = 4;

ProcessOptions AnpOptions(const std::string& model) {
  return {.model = model,
          .width = kBlockWidth,
          .noise = DefaultNoise(model),
          .heads = kBlockHeads,
          .inducing_points = 200,
          .train_samples = 3,
          .test_samples = 5};
}

ProcessTasks TasksOf(int64_t m) {
  return {torch::randn({2, m, 1}), torch::randn({2, m, 1}), torch::randn({2, 4, 1}), torch::randn({2, 4, 1})};
}

torch::Tensor Weight(const torch::nn::Module& module, const std::string& name) {
  return module.named_parameters()[name];
}

TEST(AnpBlock, AddsWhatItsHeadsReadToTheProjectedQueries) {
  torch::manual_seed(1);
  AnpBlock block(kBlockWidth, kBlockHeads);
  const torch::Tensor x = torch::randn({1, 3, kBlockWidth}), k = torch::randn({1, 5, kBlockWidth}),
                      v = torch::randn_like(k);
  const torch::Tensor q = x[0].matmul(Weight(*block, "query.weight").t());
  const torch::Tensor keys = k[0].matmul(Weight(*block, "key.weight").t());
  const torch::Tensor values = v[0].matmul(Weight(*block, "value.weight").t());
  std::vector<torch::Tensor> heads;
  for (int64_t h = 0; h < kBlockHeads; ++h) {
    const auto of_head = [&](const torch::Tensor& t) {
      return t.narrow(1, h * kBlockWidth / kBlockHeads, kBlockWidth / kBlockHeads);
    };
    const torch::Tensor scores = of_head(q).matmul(of_head(keys).t()) / std::sqrt(static_cast<double>(kBlockWidth));
    heads.push_back(scores.softmax(1).matmul(of_head(values)));
  }
  const auto normalized = [](const torch::Tensor& t) { return torch::layer_norm(t, {kBlockWidth}); };
  const torch::Tensor o = normalized(q + torch::cat(heads, 1));
  const torch::Tensor linear = o.matmul(Weight(*block, "linear.weight").t()) + Weight(*block, "linear.bias");
  EXPECT_LT((block(x, k, v)[0] - normalized(o + torch::relu(linear))).abs().max().item<double>(), 1e-5);
}

TEST(AnpBlock, WithoutKeysKeepsTheProjectedQueries) {
  torch::manual_seed(2);
  AnpBlock block(kBlockWidth, kBlockHeads);
  const torch::Tensor x = torch::randn({2, 3, kBlockWidth}), none = torch::zeros({2, 0, kBlockWidth});
  const torch::Tensor alone = block(x, none, none);
  EXPECT_EQ(alone.sizes(), x.sizes());
  const torch::Tensor key = torch::randn({2, 1, kBlockWidth});
  EXPECT_LT((block(x, key, torch::zeros_like(key)) - alone).abs().max().item<double>(), 1e-6);
}

TEST(InducingPoints, StartFarApartAndAreTrained) {
  for (const char* model : {"cipnp", "ipnp"}) {
    torch::manual_seed(3);
    auto network = MakeNeuralProcess(AnpOptions(model));
    network->Loss(TasksOf(6)).backward();
    int64_t found = 0;
    for (const auto& item : network->named_parameters()) {
      if (!item.key().ends_with("inducing_points")) continue;
      ++found;
      EXPECT_EQ(item.value().sizes().vec(), (std::vector<int64_t>{1, 200, kBlockWidth}));
      EXPECT_NEAR(item.value().std().item<double>(), 3.0, 0.15) << item.key();
      EXPECT_TRUE((item.value().grad().abs().sum(2) > 0).all().item<bool>()) << item.key();
    }
    EXPECT_EQ(found, 2) << model;
  }
}

TEST(ConditionalAnp, IsTrainedOnContextAndTargets) {
  for (const char* model : {"canp", "cipnp"}) {
    torch::manual_seed(4);
    auto network = MakeNeuralProcess(AnpOptions(model));
    const ProcessTasks tasks = TasksOf(6);
    const auto likelihood = [&](const torch::Tensor& x, const torch::Tensor& y) {
      return LogLikelihood(network->Predict(tasks.context_x, tasks.context_y, x), y).sum().item<double>();
    };
    const double sum = likelihood(tasks.context_x, tasks.context_y) + likelihood(tasks.target_x, tasks.target_y);
    EXPECT_NEAR(network->Loss(tasks).item<double>(), -sum / (2 * (6 + 4)), 1e-5) << model;
  }
}

TEST(AnpFamily, LossesAreFiniteWithoutContext) {
  for (const char* model : {"canp", "anp", "banp", "cipnp", "ipnp"}) {
    torch::manual_seed(5);
    EXPECT_TRUE(std::isfinite(MakeNeuralProcess(AnpOptions(model))->Loss(TasksOf(0)).item<double>())) << model;
  }
}

}  // namespace
}  // namespace haplospin
