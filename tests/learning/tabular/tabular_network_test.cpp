#include "learning/tabular/tabular_network.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "haplospin/errors.h"
#include "learning/models/context_network.h"
#include "learning/tabular/random_tables.h"
#include "learning/tabular/splits.h"

namespace haplospin {
namespace {

// What the inner network is shown and returns: nothing but zeros, or the residual of each row of the memory.
class EchoNetwork : public ContextNetwork {
 public:
  torch::Tensor Train(const MaskedTable& batch, const MaskedTable& memory, const torch::Tensor&) override {
    seen = memory;
    return torch::zeros({batch.values.size(0), batch.values.size(1), 1});
  }
  torch::Tensor Predict(const EncodedContext& context, const MaskedTable& query) override {
    seen = context.rows;
    return torch::zeros({query.values.size(0), query.values.size(1), 1});
  }
  torch::Tensor ContextWeights(const EncodedContext&, const MaskedTable&) override { return {}; }

  MaskedTable seen;
};

TEST(ResidualNetwork, ShowsResidualsOfDeviationOneAndAddsTheFit) {
  torch::manual_seed(1);
  EncodedTable table{torch::randn({200, 2}), torch::zeros({200, 2}, torch::kBool)};
  table.values.select(1, 1).copy_(table.values.select(1, 0) * 3 + 0.01 * torch::randn({200}));
  const auto inner = std::make_shared<EchoNetwork>();
  const Attributes attributes = {{0}, {0}};
  const torch::Tensor is_target = torch::tensor({false, true});
  const auto linear = std::make_shared<LinearModel>(attributes, is_target);
  linear->Fit(table);
  ResidualNetwork network(inner, linear, attributes, is_target);
  network.Fit(table);
  EXPECT_NEAR(network.scale()[1].item<double>(), 0.01, 0.002);
  EXPECT_EQ(network.scale()[0].item<double>(), 1);
  MaskedTable query = table.Masked();
  Hide(query, torch::tensor({{false, true}}).expand({200, 2}));
  const torch::Tensor predicted = network.Predict(network.Encode(table.Masked()), query).select(1, 1).select(1, 0);
  EXPECT_LT((predicted - table.values.select(1, 1)).abs().max().item<double>(), 0.05);
  EXPECT_NEAR(inner->seen.values.select(1, 1).square().mean().item<double>(), 1, 0.05);
  EXPECT_TRUE(torch::equal(inner->seen.values.select(1, 0), table.values.select(1, 0)));
}

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
      const TabularTrainingOptions& options, const TrainingObserver& observer = [](const TrainingResult&) {}) const {
    DataParallel alone({}, torch::kCPU);
    return TrainTabularNetwork(options, data, rows, linear, 0, alone, observer);
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
    EXPECT_LT(-fixture.Train(options).result.best.score, 0.4) << model;
  }
}

TEST(NetworkTraining, TheSameSeedGivesTheSameNetwork) {
  const Fixture fixture;
  TabularTrainingOptions options = QuickTraining("hopular");
  options.steps = 25;
  const TrainedNetwork first = fixture.Train(options), second = fixture.Train(options);
  ASSERT_EQ(first.result.curve.size(), second.result.curve.size());
  EXPECT_EQ(-first.result.best.score, -second.result.best.score);
  options.seed = 2;
  EXPECT_NE(-fixture.Train(options).result.best.score, -first.result.best.score);
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
  EXPECT_LT(fixture.Train(options).result.curve.back().step, 400);
}

TEST(NetworkTraining, StopsInTime) {
  const Fixture fixture;
  TabularTrainingOptions options = QuickTraining("hopular");
  options.steps = 10000000;
  options.patience = 10000000;
  options.time_limit = 0.3;
  const TrainedNetwork trained = fixture.Train(options);
  EXPECT_FALSE(trained.result.curve.empty());
  EXPECT_LT(trained.result.curve.back().step, 10000000);
}

TEST(NetworkTraining, KeepsTheBestWeightsWhenTheLossIsLost) {
  Fixture fixture;
  TabularTrainingOptions options = QuickTraining("npt");
  options.validation_steps = 5;
  options.steps = 400;
  options.patience = 1000;
  // Values of a column overflow from the twelfth step on.
  const auto spoil = [&](const TrainingResult& so_far) {
    if (so_far.steps == 12) fixture.data.table.values.select(1, 0).fill_(std::numeric_limits<float>::max());
  };
  const TrainedNetwork trained = fixture.Train(options, spoil);
  EXPECT_TRUE(trained.result.has_diverged);
  EXPECT_LE(trained.result.best.step, 10);
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
