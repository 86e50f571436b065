#include "learning/processes/process_predictor.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "learning/models/neural_process/process_options.h"
#include "learning/processes/gaussian_process.h"

namespace haplospin {
namespace {

std::string WriteSmallModel(const std::string& path) {
  torch::manual_seed(1);
  ProcessModel model;
  model.options = {.model = "cnp", .width = 8};
  model.network = MakeNeuralProcess(model.options);
  model.x_low = {-2};
  model.x_high = {2};
  WriteProcessModel(path, model);
  return path;
}

TEST(ChoosePredictor, NeedsModelAndWeightsThatFit) {
  const TemporaryFolder folder;
  const std::string weights = WriteSmallModel(folder / "m");
  EXPECT_EQ(ChoosePredictor({.weights = weights}, 1).name, "cnp");
  EXPECT_EQ(ChoosePredictor({.model = "cnp", .weights = weights}, 1).name, "cnp");
  EXPECT_THROW(ChoosePredictor({.model = "tnp", .weights = weights}, 1), InputError);
  EXPECT_THROW(ChoosePredictor({.model = "gp", .weights = weights}, 1), InputError);
  EXPECT_THROW(ChoosePredictor({.model = "cnp"}, 1), InputError);     // without default weights
  EXPECT_THROW(ChoosePredictor({.model = "te-tnp"}, 3), InputError);  // default weights have one or two inputs
  EXPECT_EQ(ChoosePredictor({}, 3).name, "gp");
  EXPECT_EQ(ChoosePredictor({.model = "te-tnp"}, 1).name, "te-tnp");
  EXPECT_EQ(ChoosePredictor({.model = "oracle"}, 1).predictor, nullptr);
  EXPECT_THROW(ChoosePredictor({.weights = weights}, 1).CheckDimensions(2, 1), InputError);
}

TEST(PredictGroup, FollowsTheUnitsOfTheData) {
  const TemporaryFolder folder;
  const ChosenPredictor chosen = ChoosePredictor({.weights = WriteSmallModel(folder / "m")}, 1);
  const torch::Tensor x = torch::rand({6, 1}, torch::kFloat64), y = torch::randn({6, 1}, torch::kFloat64);
  const torch::Tensor targets = torch::tensor({{0.2}, {0.7}}, torch::kFloat64);
  const GroupPrediction one = PredictGroup(chosen, {x, y}, targets, /*samples=*/2, /*seed=*/1);
  const GroupPrediction other = PredictGroup(chosen, {24 * x - 7, 1000 + 5 * y}, 24 * targets - 7, 2, 1);
  EXPECT_TRUE(torch::allclose(1000 + 5 * one.prediction.mean, other.prediction.mean, 1e-4, 1e-2));
  EXPECT_TRUE(torch::allclose(5 * one.prediction.sd, other.prediction.sd, 1e-4, 1e-2));
  EXPECT_TRUE(torch::allclose(1000 + 5 * one.samples, other.samples, 1e-4, 1e-2));
  EXPECT_FALSE(one.is_outside_training);
  EXPECT_TRUE(PredictGroup(chosen, {x, y}, targets + 50, 0, 1).is_outside_training);
  EXPECT_THROW(PredictGroup(chosen, {x, y}, torch::zeros({401, 1}, torch::kFloat64), 1, 1), InputError);
}

// A Gaussian process is fitted once to a context, also for functions that are drawn point by point.
TEST(PredictGroup, SamplesOfAFitAreAboutItsMean) {
  torch::manual_seed(4);
  const torch::Tensor x = torch::rand({30, 1}, torch::kFloat64) * 6, y = x.sin();
  const torch::Tensor targets = torch::linspace(0.5, 5.5, 40, torch::kFloat64).unsqueeze(1);
  const GroupPrediction p = PredictGroup(ChoosePredictor({}, 1), {x, y}, targets, 20, 1);
  const torch::Tensor mean = p.prediction.mean[0][0], sd = p.prediction.sd[0][0];
  EXPECT_LT((mean - targets.sin()).abs().max().item<double>(), 0.1);
  EXPECT_LT(((p.samples.mean(0) - mean) / sd).abs().max().item<double>(), 1.5);
}

TEST(PredictInBlocks, EqualsOneCall) {
  torch::manual_seed(1);
  auto model = MakeNeuralProcess({.model = "te-tnp", .width = 8, .heads = 2, .layers = 1, .kernel_width = 4});
  model->eval();
  // More targets than a block takes with this many context points.
  const ProcessTasks tasks{torch::rand({1, 300, 1}), torch::randn({1, 300, 1}), torch::rand({1, 8000, 1}), {}};
  const Prediction blocks = PredictInBlocks(*model, tasks);
  const torch::NoGradGuard no_grad;
  const Prediction whole = model->Predict(tasks.context_x, tasks.context_y, tasks.target_x);
  EXPECT_EQ(blocks.mean.sizes(), whole.mean.sizes());
  EXPECT_TRUE(torch::allclose(blocks.mean, whole.mean, 1e-5, 1e-5));
  EXPECT_TRUE(torch::allclose(blocks.sd, whole.sd, 1e-5, 1e-5));
}

TEST(SampleFunctions, HangTogetherAsTheProcessSays) {
  GaussianProcess process({.lengthscale = {0.7}, .variance = 1, .noise = 0.05});
  const torch::Tensor tx = torch::tensor({0.0, 0.1, 3.0}, torch::kFloat64).view({1, 3, 1});
  const ProcessTasks task{
      torch::full({1, 1, 1}, 0.5, torch::kFloat64), torch::ones({1, 1, 1}, torch::kFloat64), tx, {}};
  RandomStream random(2);
  const torch::Tensor samples = SampleFunctions(process, task, 600, random).squeeze(2);
  const Prediction marginal = process.Predict(task.context_x, task.context_y, tx);
  for (int64_t i = 0; i < 3; ++i) {
    const double sd = marginal.sd[0][0][i][0].item<double>();
    EXPECT_NEAR(samples.select(1, i).mean().item<double>(), marginal.mean[0][0][i][0].item<double>(),
                4 * sd / std::sqrt(600.0));
    EXPECT_NEAR(samples.select(1, i).std().item<double>() / sd, 1, 0.12);
  }
  const torch::Tensor centered = samples - samples.mean(0);
  const auto correlation = [&](int64_t i, int64_t j) {
    const torch::Tensor a = centered.select(1, i), b = centered.select(1, j);
    return (a.dot(b) / (a.norm() * b.norm())).item<double>();
  };
  EXPECT_GT(correlation(0, 1), 0.85);           // neighbors
  EXPECT_LT(std::abs(correlation(0, 2)), 0.2);  // far apart
}

}  // namespace
}  // namespace haplospin
