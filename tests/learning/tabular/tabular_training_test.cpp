#include "learning/tabular/tabular_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/file_contents.h"
#include "core/safetensors.h"
#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "learning/models/context_network.h"
#include "learning/tabular/random_tables.h"
#include "learning/tabular/tabular_metrics.h"

namespace haplospin {
namespace {

TabularTraining TrainWith(const Table& table, const std::vector<std::string>& targets,
                          const TabularTrainingOptions& options) {
  return TrainTabularModel(table, targets, {}, options, torch::kCPU);
}

TabularModel TrainOn(const Table& table, const std::string& model, const std::vector<std::string>& targets) {
  return TrainWith(table, targets, QuickTraining(model)).model.value();
}

double Accuracy(const TabularModel& model, const Table& table) {
  const EncodedTable encoded = model.encoder().Encode(table);
  const int64_t j = model.encoder().targets()[0];
  return *ClassMetrics(model.Predict(encoded).select(1, j).narrow(1, 0, 2),
                       encoded.values.select(1, j).to(torch::kInt64))
              .accuracy;
}

TEST(TabularModel, LearnsASimpleRule) {
  const Table training = WithoutColumn(RandomTable(150, 1), "number");
  const Table test = WithoutColumn(RandomTable(200, 2), "number");
  for (const std::string& name : ArchitectureNames()) {
    EXPECT_GT(Accuracy(TrainOn(training, name, {"class"}), test), 0.85) << name;
  }
}

// Stopped within the first member, at its end, and within the second.
TEST(TabularModel, ResumedIsBitForBitTheUninterruptedRun) {
  const Table table = WithoutColumn(RandomTable(60, 1), "number");
  const TemporaryFolder folder;
  for (const std::string& name : ArchitectureNames()) {
    TabularTrainingOptions options = QuickTraining(name);
    options.network.dropout = 0.1;
    options.context_rows = 40;  // fewer than there are: Hopular draws its memory
    options.steps = 12;
    options.validation_steps = 5;
    const auto train = [&] { return TrainWith(table, {"class"}, options).model; };
    const EncodedTable rows = train()->encoder().Encode(table);
    const torch::Tensor whole = train()->Predict(rows);
    options.checkpoint = folder / name;
    for (const int64_t stop_after : {7, 12, 15}) {
      options.stop_after = stop_after;
      options.resume = false;
      EXPECT_FALSE(train().has_value());
      options.stop_after = 0;
      options.resume = true;
      EXPECT_TRUE(torch::equal(train()->Predict(rows), whole)) << name << " " << stop_after;
    }
    options.batch_rows = 7;
    EXPECT_THROW(train(), InputError);
  }
}

TabularTrainingOptions OnlyGaussianProcesses() {
  TabularTrainingOptions options;
  options.members = 0;
  options.trees = false;
  options.gaussian_processes = true;
  return options;
}

TEST(TabularModel, PredictsByGaussianProcessesAlone) {
  const TemporaryFolder folder;
  const TabularTrainingOptions options = OnlyGaussianProcesses();
  const Table table = WithoutColumn(RandomTable(150, 1), "number");
  const TabularModel model = TrainWith(table, {"class"}, options).model.value();
  EXPECT_GT(Accuracy(model, WithoutColumn(RandomTable(200, 2), "number")), 0.85);
  EXPECT_EQ(model.name(), "gp");
  const EncodedTable rows = model.encoder().Encode(table);
  const GaussianProcessPredictor predictor(model.context(), model.encoder().attributes(), model.encoder().IsTarget(),
                                           options.seed, /*with_trees=*/false);
  const int64_t target = model.encoder().targets()[0];
  EXPECT_TRUE(torch::allclose(model.Predict(rows).select(1, target), predictor.Predict(rows).values.select(1, target),
                              1e-4, 1e-5));
  model.Save(folder / "model", false, {});
  const TabularModel loaded = TabularModel::Load(folder / "model", torch::kCPU);
  EXPECT_EQ(loaded.name(), "gp");
  EXPECT_TRUE(torch::equal(loaded.Predict(rows), model.Predict(rows)));
}

TEST(TabularModel, GaussianProcessesAreAPartOfTheMixture) {
  const TemporaryFolder folder;
  TabularTrainingOptions options;
  options.members = 0;
  options.gaussian_processes = true;
  Table table = WithoutColumn(RandomTable(150, 1), "class");
  const std::vector<double>& b = table.columns[1].numbers;  // a smooth function of one column
  for (size_t row = 0; row < b.size(); ++row) table.columns.back().numbers[row] = std::sin(b[row]);
  const TabularModel model = TrainWith(table, {"number"}, options).model.value();
  EXPECT_EQ(model.name(), "auto");
  ASSERT_TRUE(model.Uses(kGaussianProcesses));
  const EncodedTable rows = model.encoder().Encode(table);
  model.Save(folder / "model", false, {});
  EXPECT_TRUE(torch::equal(TabularModel::Load(folder / "model", torch::kCPU).Predict(rows), model.Predict(rows)));
  options.gaussian_processes = false;
  EXPECT_FALSE(TrainWith(table, {"number"}, options).model->Uses(kGaussianProcesses));
}

TEST(TabularModel, NeedsNoNetworks) {
  const Table table = WithoutColumn(RandomTable(80, 1), "number");
  TabularTrainingOptions options;
  options.members = 0;
  const TabularTraining training = TrainWith(table, {"class"}, options);
  const TabularModel& model = training.model.value();
  EXPECT_TRUE(training.networks.empty());
  EXPECT_FALSE(model.UsesContext());
  EXPECT_GT(Accuracy(model, WithoutColumn(RandomTable(200, 2), "number")), 0.85);
  const TemporaryFolder folder;
  model.Save(folder / "model", false, {});
  const EncodedTable rows = model.encoder().Encode(table);
  EXPECT_TRUE(torch::equal(TabularModel::Load(folder / "model", torch::kCPU).Predict(rows), model.Predict(rows)));
}

TEST(TabularModel, ComparesItselfOnItsValidationRows) {
  const TabularTraining training =
      TrainWith(WithoutColumn(RandomTable(150, 1), "class"), {"number"}, QuickTraining("npt"));
  const MetricsComparison& comparison = training.validation.at(0);
  EXPECT_GT(comparison.model.rows, 50);
  EXPECT_LT(*comparison.model.rmse, *comparison.constant.rmse);
  EXPECT_LE(*comparison.model.rmse, *comparison.linear.rmse * 1.001);
}

TEST(TabularModel, SeveralTargetsAtOnce) {
  TabularTrainingOptions options = QuickTraining("hopular");
  options.steps = 200;
  const TabularModel model = TrainWith(RandomTable(200, 1), {"number", "class"}, options).model.value();
  const Table test = RandomTable(100, 2);
  const EncodedTable encoded = model.encoder().Encode(test);
  const torch::Tensor predicted = model.Predict(encoded);
  ASSERT_EQ(model.encoder().targets(), (std::vector<int64_t>{3, 4}));
  EXPECT_TRUE((model.Deviations(encoded).select(1, 3) == 1).all().item<bool>());
  EXPECT_TRUE((model.Deviations(encoded).select(1, 4) > 0).all().item<bool>());
  const torch::Tensor error = predicted.select(1, 4).select(1, 0) - encoded.values.select(1, 4);
  EXPECT_LT(error.square().mean().item<double>(), 0.4);
  EXPECT_TRUE(torch::allclose(predicted.select(1, 3).narrow(1, 0, 2).sum(1), torch::ones({100}), 1e-5, 1e-5));
}

TEST(TabularModel, TheTargetsOfPredictedRowsAreNotLookedAt) {
  const Table table = WithoutColumn(RandomTable(60, 1), "number");
  for (const std::string& name : ArchitectureNames()) {
    const TabularModel model = TrainOn(table, name, {"class"});
    EncodedTable rows = model.encoder().Encode(WithoutColumn(RandomTable(20, 2), "number"));
    const torch::Tensor before = model.Predict(rows);
    rows.values.select(1, 3).copy_(1 - rows.values.select(1, 3));
    EXPECT_TRUE(torch::equal(model.Predict(rows), before)) << name;
    rows.missing.select(1, 3).fill_(true);
    EXPECT_TRUE(torch::equal(model.Predict(rows), before)) << name;
  }
}

TEST(TabularModel, TheOrderOfRowsDoesNotMatter) {
  const Table table = WithoutColumn(RandomTable(60, 1), "number");
  for (const std::string& name : ArchitectureNames()) {
    const TabularModel model = TrainOn(table, name, {"class"});
    const EncodedTable rows = model.encoder().Encode(WithoutColumn(RandomTable(30, 2), "number"));
    const torch::Tensor before = model.Predict(rows);
    const torch::Tensor order = torch::randperm(30), context_order = torch::randperm(model.context().rows());
    EXPECT_TRUE(torch::allclose(model.Predict(rows.Rows(order)), before.index_select(0, order), 1e-3, 1e-4)) << name;
    EXPECT_TRUE(torch::allclose(model.PredictFrom(model.context().Rows(context_order), rows), before, 1e-3, 1e-4))
        << name;
  }
}

TEST(TabularModel, AttentionToTheContext) {
  const Table table = WithoutColumn(RandomTable(50, 1), "number");
  for (const std::string& name : ArchitectureNames()) {
    const TabularModel model = TrainOn(table, name, {"class"});
    const EncodedTable rows = model.encoder().Encode(WithoutColumn(RandomTable(4, 2), "number"));
    const torch::Tensor weights = model.ContextWeights(rows);
    ASSERT_EQ(weights.sizes(), (std::vector<int64_t>{4, 50})) << name;
    EXPECT_TRUE((weights >= 0).all().item<bool>());
    // With NPT and the Set Transformer the predicted rows take a part of the attention themselves.
    EXPECT_TRUE((weights.sum(1) < 1.0001).all().item<bool>()) << name;
    EXPECT_TRUE((weights.sum(1) > 0.5).all().item<bool>()) << name;
  }
}

class TabularModelFile : public testing::Test {
 protected:
  // Whether the bytes of a row's numbers stand one after the other anywhere in the file.
  static bool HoldsARowOf(const std::string& path, const EncodedTable& rows) {
    const std::string bytes = Contents(path);
    for (int64_t i = 0; i < rows.rows(); ++i) {
      const torch::Tensor row = rows.values[i].narrow(0, 0, 2).contiguous();
      if (bytes.find(std::string(static_cast<const char*>(row.data_ptr()), 2 * sizeof(float))) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  static constexpr size_t kRows = 61;
  const Table table_ = WithoutColumn(RandomTable(kRows, 1), "number");
  const TemporaryFolder folder_;
};

TEST_F(TabularModelFile, PredictsTheSameAfterwards) {
  for (const std::string& name : ArchitectureNames()) {
    const TabularModel model = TrainOn(table_, name, {"class"});
    model.Save(folder_ / name, false, {});
    const TabularModel again = TabularModel::Load(folder_ / name, torch::kCPU);
    const EncodedTable rows = model.encoder().Encode(WithoutColumn(RandomTable(10, 2), "number"));
    EXPECT_TRUE(torch::equal(again.Predict(rows), model.Predict(rows))) << name;
    EXPECT_TRUE(HoldsARowOf(folder_ / name, model.context())) << name;
  }
}

TEST_F(TabularModelFile, EncodedItHoldsNoRow) {
  const TabularModel model = TrainOn(table_, "spin", {"class"});
  model.Save(folder_ / "encoded", true, {});
  EXPECT_FALSE(HoldsARowOf(folder_ / "encoded", model.context()));
  for (const auto& [name, tensor] : ReadSafetensors(folder_ / "encoded").tensors) {
    EXPECT_FALSE(name.starts_with("rows.")) << name;
    for (const int64_t size : tensor.shape) EXPECT_NE(size, int64_t{kRows}) << name;
  }
  const TabularModel again = TabularModel::Load(folder_ / "encoded", torch::kCPU);
  const EncodedTable rows = model.encoder().Encode(WithoutColumn(RandomTable(10, 2), "number"));
  EXPECT_TRUE(torch::allclose(again.Predict(rows), model.Predict(rows), 1e-5, 1e-6));
}

TEST_F(TabularModelFile, DamagedFiles) {
  const TabularModel model = TrainOn(table_, "hopular", {"class"});
  const std::string path = folder_ / "model";
  model.Save(path, false, {});
  Safetensors file = ReadSafetensors(path);
  const auto expect_error = [&](const Safetensors& contents, const std::string& what) {
    WriteSafetensors(folder_ / "damaged", contents);
    EXPECT_THROW(TabularModel::Load(folder_ / "damaged", torch::kCPU), InputError) << what;
  };
  for (const char* name :
       {"rows.values", "rows.missing", "network.1.inner", "fit.1.linear", "fit.1.trees.values", "errors.", "gains"}) {
    Safetensors without = file;
    std::erase_if(without.tensors, [&](const auto& item) { return item.first.starts_with(name); });
    if (without.tensors.size() != file.tensors.size()) expect_error(without, name);
  }
  Safetensors other = file;
  other.metadata["configuration"] = "{}";
  expect_error(other, "an empty configuration");
  other.metadata["configuration"] = "no JSON";
  expect_error(other, "a configuration that is not JSON");
  const auto expect_refused = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = nlohmann::json::parse(file.Metadata("configuration"));
    json[nlohmann::json::json_pointer(pointer)] = value;
    other.metadata["configuration"] = json.dump();
    expect_error(other, pointer);
  };
  expect_refused("/network/width", 4096);  // of a network that the file does not hold
  expect_refused("/network/width", 1 << 30);
  expect_refused("/network/architecture", "perceptron");
  expect_refused("/members", 900);
  expect_refused("/fits", 0);
  expect_refused("/fits", 6);
  expect_refused("/encoded", true);
  other.metadata.clear();
  expect_error(other, "no metadata");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THROW(TabularModel::Load(path, torch::kCPU), InputError);
}

TEST(TabularModel, TargetsMustSaySomething) {
  Table table = WithoutColumn(RandomTable(40, 1), "number");
  for (int32_t& code : table.columns[3].codes) code = 1;
  EXPECT_THROW(TrainOn(table, "hopular", {"class"}), InputError);
  for (int32_t& code : table.columns[3].codes) code = -1;
  table.columns[3].missing = 40;
  EXPECT_THROW(TrainOn(table, "hopular", {"class"}), InputError);
}

}  // namespace
}  // namespace haplospin
