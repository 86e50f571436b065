#include "tabular/pretrained/pretraining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>

#include "haplospin/errors.h"
#include "nn/named_tensors.h"
#include "tabular/pretrained/pretrained_network.h"
#include "tabular/pretrained/task_scores.h"

namespace haplospin {
namespace {

// Small enough for a test.
PretrainingOptions SmallRun() {
  PretrainingOptions options;
  options.network = {.width = 16, .depth = 1, .heads = 2, .inducing_points = 4};
  options.prior = {.min_rows = 20, .max_rows = 40, .max_columns = 4};
  options.tables = 2;
  options.validation_tables = 4;
  options.validation_steps = 5;
  options.log_steps = 0;
  options.steps = 12;
  options.warm_up = 2;
  return options;
}

std::string FileIn(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / ("pretraining_" + name)).string();
}

void ExpectSameWeights(const PretrainingResult& left, const PretrainingResult& right) {
  const NamedTensors a = ModuleState(*left.network), b = ModuleState(*right.network);
  for (const auto& [name, tensor] : a) EXPECT_TRUE(torch::equal(tensor, b.at(name))) << name;
}

TEST(Pretraining, LearnsToCorrectTheFits) {
  PretrainingOptions options = SmallRun();
  options.prior.classification = 0;
  options.steps = 150;
  options.tables = 4;
  options.validation_steps = 30;
  options.learning_rate = 3e-3;
  const PretrainingResult result = Pretrain(options);
  EXPECT_GT(result.training.best.score, result.training.curve.front().score + 0.003);
}

TEST(Pretraining, AnInterruptedRunGivesTheSameWeights) {
  const PretrainingResult whole = Pretrain(SmallRun());
  PretrainingOptions options = SmallRun();
  options.checkpoint = FileIn("checkpoint");
  options.stop_after = 7;
  EXPECT_FALSE(Pretrain(options).training.is_finished);
  options.resume = true;
  options.stop_after = 0;
  ExpectSameWeights(Pretrain(options), whole);
}

TEST(Pretraining, AnotherPriorIsAnotherRun) {
  PretrainingOptions options = SmallRun();
  options.checkpoint = FileIn("other");
  options.stop_after = 1;
  Pretrain(options);
  options.resume = true;
  options.prior.max_columns = 5;
  EXPECT_THROW(Pretrain(options), InputError);
}

TEST(PretrainedNetwork, IsReadAsItWasWritten) {
  PretrainingOptions options = SmallRun();
  options.steps = 1;
  options.out = FileIn("network.safetensors");
  const PretrainingResult result = Pretrain(options);
  WritePretrainedNetwork(options, result, {});
  PretrainingResult read{ReadPretrainedNetwork(options.out, torch::kCPU), {}};
  ExpectSameWeights(read, result);
  std::filesystem::resize_file(options.out, std::filesystem::file_size(options.out) - 100);
  EXPECT_THROW(ReadPretrainedNetwork(options.out, torch::kCPU), InputError);
}

TEST(TaskScores, BaselinesPredictWhatTheyCan) {
  torch::manual_seed(1);
  TableTask task;
  task.table.values = torch::randn({200, 2});
  task.table.missing = torch::zeros({200, 2}, torch::kBool);
  task.table.columns = {{.classes = 0}, {.classes = 0}};
  task.table.context = 150;
  task.labels = task.table.values.select(1, 0) * 1.0;
  const BaselineScores numbers = ScoreBaselines({task});
  EXPECT_THAT(numbers.linear.Text(), testing::StartsWith("relative RMSE 0.0"));
  EXPECT_THAT(numbers.constant.Text(), testing::ContainsRegex("relative RMSE (0.9|1.0)"));
  task.labels = (task.labels > 0).to(torch::kFloat32);
  task.classes = 2;
  EXPECT_THAT(ScoreBaselines({task}).linear.Text(), testing::ContainsRegex("accuracy (0.9|1.0)"));
}

}  // namespace
}  // namespace haplospin
