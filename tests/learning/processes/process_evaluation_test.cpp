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
  EXPECT_GT(result.standard_error, 0);
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
  int64_t fewest = 7;
  RandomStream random = BatchStream(kSeed, TaskStream::kTest, 0);
  for (const ProcessTasks& task : tasks.Draw(40, random)) {
    fewest = std::min(fewest, task.context_x.size(1));
    const Points context{unscaled_x(task.context_x[0]), all_scaling.UnscaleY(task.context_y[0])};
    const GroupPrediction p =
        PredictGroup(chosen, context, unscaled_x(task.target_x[0]), /*samples=*/0, kSeed, &all_scaling);
    sums.Add(p.prediction, all_scaling.UnscaleY(task.target_y));
  }
  const ProcessEvaluation predicted = sums.Result();
  const ProcessEvaluation evaluated = EvaluatePredictor(chosen, tasks, /*batches=*/1, /*batch=*/40, kSeed);
  EXPECT_NEAR(evaluated.rmse, predicted.rmse, 1e-3 * predicted.rmse);
  EXPECT_NEAR(evaluated.log_likelihood, predicted.log_likelihood, 1e-3);
  EXPECT_EQ(fewest, 1);
  EXPECT_EQ(evaluated.context.low, 1);
  EXPECT_EQ(evaluated.context.high, 3);
}

}  // namespace
}  // namespace haplospin
