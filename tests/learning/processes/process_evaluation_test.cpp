#include "learning/processes/process_evaluation.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

#include "core/temporary_folder.h"
#include "learning/models/neural_process/process_options.h"
#include "learning/processes/csv_tasks.h"

namespace haplospin {
namespace {

TEST(EvaluationSums, OfAKnownDistribution) {
  torch::manual_seed(3);
  const torch::Tensor mean = torch::randn({1, 40, 50, 2}, torch::kFloat64),
                      sd = torch::rand({1, 40, 50, 2}, torch::kFloat64) + 0.2;
  const torch::Tensor y = mean[0] + sd[0] * torch::randn({40, 50, 2}, torch::kFloat64);
  EvaluationSums right, proud;
  right.Add({mean, sd}, y);
  proud.Add({mean, 0.3 * sd}, y);
  const ProcessEvaluation result = right.Result();
  EXPECT_EQ(result.tasks, 40);
  EXPECT_EQ(result.targets, 2000);
  EXPECT_NEAR(result.log_likelihood, (-0.5 * std::log(2 * M_PI) - 0.5 - sd.log().mean().item<double>()) * 2, 0.15);
  EXPECT_NEAR(result.rmse, (y - mean[0]).square().mean().sqrt().item<double>(), 1e-9);
  EXPECT_EQ(result.confidence.size(), 11u);
  EXPECT_EQ(result.covered.front(), 0);
  EXPECT_EQ(result.covered.back(), 1);
  for (size_t i = 0; i < 11; ++i) EXPECT_NEAR(result.covered[i], result.confidence[i], 0.04);
  EXPECT_LT(result.calibration, 5e-4);
  EXPECT_GT(proud.Result().calibration, 0.05);
  EXPECT_GT(result.log_likelihood, proud.Result().log_likelihood);
  EXPECT_GT(result.standard_error.value(), 0);
  EXPECT_EQ(result.groups, 40);
}

// Many tasks of few groups tell no more of other groups than these.
TEST(EvaluationSums, TheStandardErrorIsOverGroups) {
  torch::manual_seed(4);
  const torch::Tensor zero = torch::zeros({1, 1, 1, 1}, torch::kFloat64), one = torch::ones_like(zero);
  EvaluationSums few, single;
  std::vector<double> means;
  for (int repeat = 0; repeat < 100; ++repeat) {
    for (size_t group = 0; group < 3; ++group) {
      few.Add({zero, one}, torch::full({1, 1, 1}, static_cast<double>(group), torch::kFloat64), group);
    }
    single.Add({zero, one}, torch::zeros({1, 1, 1}, torch::kFloat64), 0);
  }
  // The log-likelihoods of 0, 1 and 2 are 0, 1/2 and 2 below that of 0.
  const double mean = 2.5 / 3, squares = mean * mean + std::pow(mean - 0.5, 2) + std::pow(2 - mean, 2);
  EXPECT_EQ(few.Result().groups, 3);
  EXPECT_EQ(few.Result().tasks, 300);
  EXPECT_NEAR(few.Result().standard_error.value(), std::sqrt(squares / 2 / 3), 1e-9);
  EXPECT_EQ(single.Result().groups, 1);
  EXPECT_FALSE(single.Result().standard_error.has_value());
}

// Five groups of seven rows, of which one to three are context.
PointTable SmallGroups() {
  PointTable table{.path = "table", .dx = 1, .dy = 1};
  for (size_t row = 0; row < 35; ++row) {
    const size_t group = row / 7;
    if (row % 7 == 0) {
      table.groups.push_back(std::to_string(group));
      table.rows.emplace_back();
    }
    table.rows.back().push_back(row);
    const double x = 1 + static_cast<double>(row % 7);
    table.x.push_back(100 * x);
    table.y.push_back(30 * (1 + 0.2 * static_cast<double>(group)) * std::sqrt(x));
  }
  return table;
}

TEST(EvaluatePredictor, ScalesTasksOfATableAsPredictionsDo) {
  torch::manual_seed(5);
  ChosenPredictor chosen{.name = "cnp", .weights = {}, .model = ProcessModel(), .predictor = nullptr};
  chosen.model->options = {.model = "cnp", .width = 8};
  chosen.model->x_low = {-2};
  chosen.model->x_high = {2};
  chosen.model->network = MakeNeuralProcess(chosen.model->options);
  chosen.model->network->eval();
  chosen.predictor = chosen.model->network;

  const PointTable table = SmallGroups();
  const DataScaling all_scaling = ScalingAsContext(table);
  const CsvTasks tasks(table, {{"x"}, {"y"}, "group"}, {}, all_scaling);
  const auto unscaled_x = [&](const torch::Tensor& x) {
    return x.to(torch::kFloat64) * all_scaling.x_scale[0] + all_scaling.x_center[0];
  };
  constexpr uint64_t kSeed = 3;
  EvaluationSums sums;
  RandomStream random = BatchStream(kSeed, TaskStream::kTest, 0);
  const auto order = RandomOrder<size_t>(5, random);
  for (size_t k = 0; k < 40; ++k) {
    const ProcessTasks task = tasks.DrawGroup(order[k % 5], random);
    const Points context{unscaled_x(task.context_x[0]), all_scaling.UnscaleY(task.context_y[0])};
    const GroupPrediction p =
        PredictGroup(chosen, context, unscaled_x(task.target_x[0]), /*samples=*/0, kSeed, &all_scaling);
    sums.Add(p.prediction, all_scaling.UnscaleY(task.target_y), order[k % 5]);
  }
  const ProcessEvaluation predicted = sums.Result();
  const ProcessEvaluation evaluated = EvaluatePredictor(chosen, tasks, /*batches=*/1, /*batch=*/40, kSeed);
  EXPECT_NEAR(evaluated.rmse, predicted.rmse, 1e-3 * predicted.rmse);
  EXPECT_NEAR(evaluated.log_likelihood, predicted.log_likelihood, 1e-3);
  EXPECT_EQ(evaluated.tasks, 40);
  EXPECT_EQ(evaluated.groups, 5);
  EXPECT_NEAR(evaluated.standard_error.value(), predicted.standard_error.value(), 1e-3);
  EXPECT_EQ(evaluated.context.low, 1);
  EXPECT_EQ(evaluated.context.high, 3);
}

TEST(EvaluatePredictor, GroupsHaveEquallyManyTasks) {
  const PointTable table = SmallGroups();
  const CsvTasks tasks(table, {{"x"}, {"y"}, "group"}, {});
  ChosenPredictor chosen{.name = "gp", .weights = {}, .model = {}, .predictor = nullptr};
  chosen.predictor = std::make_shared<GaussianProcess>(GpParameters());
  const auto count = [&](int64_t batches) { return EvaluatePredictor(chosen, tasks, batches, 1, 1); };
  EXPECT_EQ(count(800).tasks, 80);  // 16 of each
  EXPECT_EQ(count(13).tasks, 10);
  EXPECT_EQ(count(3).tasks, 3);
  EXPECT_EQ(count(3).groups, 3);
}

}  // namespace
}  // namespace haplospin
