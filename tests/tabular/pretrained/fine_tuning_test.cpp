#include "tabular/pretrained/fine_tuning.h"

#include <gtest/gtest.h>

#include <numeric>

#include "haplospin/errors.h"
#include "nn/named_tensors.h"

namespace haplospin {
namespace {

// A number that is a step of one of two columns, and a class that is the sign of the other; 200 rows.
TrainingTable StepTable() {
  torch::manual_seed(1);
  const torch::Tensor features = torch::randn({200, 2});
  const torch::Tensor step = 2 * (features.select(1, 0) > 0.3).to(torch::kFloat32);
  const torch::Tensor sign = (features.select(1, 1) > 0).to(torch::kFloat32);
  TrainingTable data{
      .table = {torch::cat({features, step.unsqueeze(1), sign.unsqueeze(1)}, 1), torch::zeros({200, 4}, torch::kBool)},
      .attributes = {{.classes = 0}, {.classes = 0}, {.classes = 0}, {.classes = 2}},
      .is_target = torch::tensor({false, false, true, true}),
      .strata = {}};
  for (int64_t i = 0; i < 200; ++i) data.strata.push_back(step[i].item<float>() > 1 ? 1 : 0);
  return data;
}

TrainingRows FirstRows(size_t training, size_t validation) {
  TrainingRows rows;
  rows.training.resize(training);
  rows.validation.resize(validation);
  std::iota(rows.training.begin(), rows.training.end(), 0);
  std::iota(rows.validation.begin(), rows.validation.end(), training);
  return rows;
}

TrainingOptions FewSteps() {
  TrainingOptions options;
  SetFineTuningDefaults(options);
  options.steps = 40;
  options.learning_rate = 3e-3;
  options.log_steps = 0;
  return options;
}

InContextNetwork Untrained() {
  torch::manual_seed(2);
  return InContextNetwork(InContextOptions{.width = 16, .depth = 1, .heads = 2, .inducing_points = 4});
}

TEST(FineTuning, LowersTheLossOnRowsThatItDoesNotTrainOn) {
  const FineTuning tuning = FineTune(FewSteps(), Untrained(), StepTable(), FirstRows(150, 50), {});
  EXPECT_TRUE(tuning.is_finished);
  EXPECT_GT(tuning.best_step, 0);
  EXPECT_LT(tuning.best_loss, 0.95 * tuning.start_loss);
}

TEST(FineTuning, KeepsTheNetworkThatItCannotImprove) {
  TrainingOptions options = FewSteps();
  options.learning_rate = 0;
  const InContextNetwork network = Untrained();
  const FineTuning tuning = FineTune(options, network, StepTable(), FirstRows(150, 50), {});
  EXPECT_EQ(tuning.best_step, 0);
  EXPECT_EQ(tuning.best_loss, tuning.start_loss);
  const NamedTensors kept = ModuleState(*network), start = ModuleState(*Untrained());
  for (const auto& [name, tensor] : start) EXPECT_TRUE(torch::equal(tensor, kept.at(name))) << name;
}

TEST(FineTuning, NeedsRowsWithATarget) {
  TrainingTable data = StepTable();
  data.table.missing.narrow(1, 2, 2).narrow(0, 3, 197).fill_(true);
  EXPECT_THROW(FineTune(FewSteps(), Untrained(), data, FirstRows(150, 50), {}), InputError);
}

}  // namespace
}  // namespace haplospin
