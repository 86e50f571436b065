#include "processes/process_predictor.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

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
  EXPECT_THROW(ChoosePredictor({.model = "cnp"}, 1), InputError);  // without default weights
  EXPECT_THROW(ChoosePredictor({}, 3), InputError);
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

}  // namespace
}  // namespace haplospin
