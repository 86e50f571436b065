#include "tabular/network_training.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>

#include "haplospin/errors.h"
#include "models/context_network.h"
#include "tabular/random_tables.h"
#include "tabular/splits.h"

namespace haplospin {
namespace {

// The target is "class"; a quarter of the rows is for validation.
struct Fixture {
  Table table;
  TrainingRows rows;
  TrainingTable data;
  std::shared_ptr<LinearModel> linear;

  explicit Fixture(Table given = WithoutColumn(RandomTable(80, 3), "number")) : table(std::move(given)) {
    std::vector<size_t> all(table.rows());
    std::iota(all.begin(), all.end(), size_t{0});
    const TableEncoder encoder(table, {"class"}, all);
    data = {encoder.Encode(table), encoder.attributes(), encoder.IsTarget(), Strata(*table.Find("class"))};
    const auto middle = all.begin() + std::ssize(all) * 3 / 4;
    rows = {{all.begin(), middle}, {middle, all.end()}};
    linear = std::make_shared<LinearModel>(data.attributes, data.is_target);
    linear->Fit(data.table.Rows(RowTensor(rows.training, torch::kCPU)));
  }

  TrainedNetwork Train(
      const TabularTrainingOptions& options,
      const std::function<void(const TrainingStatus&)>& report = [](const TrainingStatus&) {}) const {
    DataParallel alone({}, torch::kCPU);
    return TrainTabularNetwork(options, data, rows, linear, 0, alone, report);
  }
};

// The target is whether two cards have the same of four ranks: neither card alone predicts it.
Table PairTable(size_t rows) {
  RandomStream random(4);
  Table table{.path = "pairs.csv"};
  Column first{.name = "first", .kind = ColumnKind::kCategorical, .categories = {"1", "2", "3", "4"}};
  Column second = first;
  second.name = "second";
  Column kind{.name = "class", .kind = ColumnKind::kCategorical, .categories = {"none", "pair"}};
  for (size_t row = 0; row < rows; ++row) {
    table.lines.push_back(row + 2);
    first.codes.push_back(static_cast<int32_t>(random.UniformInt(4)));
    second.codes.push_back(static_cast<int32_t>(random.UniformInt(4)));
    kind.codes.push_back(first.codes.back() == second.codes.back() ? 1 : 0);
  }
  table.columns = {first, second, kind};
  return table;
}

// The entropy of the classes is 0.56; without scaled values (long_values) the loss stays there.
TEST(NetworkTraining, LearnsWhatTwoFeaturesSayTogether) {
  const Fixture fixture(PairTable(600));
  for (const std::string model : {"npt", "spin", "set-transformer"}) {
    TabularTrainingOptions options = QuickTraining(model);
    options.steps = 150;
    options.learning_rate = 4e-3;
    options.feature_masking = 0.01;
    EXPECT_LT(fixture.Train(options).best.validation_loss, 0.4) << model;
  }
}

TEST(NetworkTraining, TheSameSeedGivesTheSameNetwork) {
  const Fixture fixture;
  TabularTrainingOptions options = QuickTraining("hopular");
  options.steps = 25;
  const TrainedNetwork first = fixture.Train(options), second = fixture.Train(options);
  ASSERT_EQ(first.curve.size(), second.curve.size());
  EXPECT_EQ(first.best.validation_loss, second.best.validation_loss);
  options.seed = 2;
  EXPECT_NE(fixture.Train(options).best.validation_loss, first.best.validation_loss);
}

TEST(NetworkTraining, TheTargetsOfValidationRowsAreNeverSeen) {
  for (const std::string& model : ArchitectureNames()) {
    Fixture fixture;
    TabularTrainingOptions options = QuickTraining(model);
    options.steps = 10;
    options.validation_steps = 10;
    const TrainedNetwork before = fixture.Train(options);
    for (const size_t row : fixture.rows.validation) {
      auto value = fixture.data.table.values[static_cast<int64_t>(row)][3];
      value.copy_(1 - value);
    }
    const TrainedNetwork after = fixture.Train(options);
    const NamedTensors own = ModuleState(*before.network), other = ModuleState(*after.network);
    for (const auto& [name, tensor] : own) EXPECT_TRUE(torch::equal(tensor, other.at(name))) << model << " " << name;
  }
}

TEST(NetworkTraining, StopsWithoutProgress) {
  const Fixture fixture;
  TabularTrainingOptions options = QuickTraining("spin");
  options.learning_rate = 1e-12;
  options.steps = 500;
  options.validation_steps = 1;
  options.patience = 3;
  EXPECT_LT(fixture.Train(options).curve.back().step, 400);
}

TEST(NetworkTraining, StopsInTime) {
  const Fixture fixture;
  TabularTrainingOptions options = QuickTraining("hopular");
  options.steps = 10000000;
  options.patience = 10000000;
  options.time_limit = 0.3;
  const TrainedNetwork trained = fixture.Train(options);
  EXPECT_FALSE(trained.curve.empty());
  EXPECT_LT(trained.curve.back().step, 10000000);
}

TEST(NetworkTraining, KeepsTheBestWeightsWhenTheLossIsLost) {
  Fixture fixture;
  TabularTrainingOptions options = QuickTraining("npt");
  options.validation_steps = 5;
  options.steps = 400;
  options.patience = 1000;
  // Values of a column overflow from the twelfth step on.
  const auto spoil = [&](const TrainingStatus& status) {
    if (status.step == 12) fixture.data.table.values.select(1, 0).fill_(std::numeric_limits<float>::max());
  };
  const TrainedNetwork trained = fixture.Train(options, spoil);
  EXPECT_TRUE(trained.has_diverged);
  EXPECT_LE(trained.best.step, 10);
  for (const torch::Tensor& parameter : trained.network->parameters()) {
    EXPECT_TRUE(parameter.isfinite().all().item<bool>());
  }
}

TEST(NetworkTraining, ALossThatIsNeverANumber) {
  Fixture fixture;
  TabularTrainingOptions options = QuickTraining("npt");
  options.learning_rate = 1e30;
  EXPECT_THROW(fixture.Train(options), InputError);
}

}  // namespace
}  // namespace haplospin
