#include "learning/models/spin.h"

#include <gtest/gtest.h>

#include "learning/models/random_table.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/random_state.h"

namespace haplospin {
namespace {

const Attributes kFiveAttributes{{.classes = 3}, {}, {.classes = 2}, {}, {.classes = 4}};

Spin MakeSpin(SpinOptions options = {}) {
  torch::manual_seed(6);
  options.attributes = kFiveAttributes;
  options.width = 8;
  options.depth = 4;
  options.heads = 2;
  options.inducing_points = 3;
  options.latent_attributes = 2;
  Spin spin(options);
  spin->to(torch::kFloat64);
  return spin;
}

const SpinOptions kVariants[] = {
    {},
    {.abla = false},
    {.xaba = false},
    {.xaba = false, .abla = false},
    {.xabd = false},
    {.xabd = false, .predict_within_rows = true},
    {.normalize_keys = true},
};

TEST(Spin, PermutingTheRowsPermutesThePredictions) {
  for (const SpinOptions& options : kVariants) {
    Spin spin = MakeSpin(options);
    const MaskedTable table = RandomTable(17, kFiveAttributes);
    const torch::Tensor order = torch::randperm(17);
    EXPECT_TRUE(torch::allclose(spin(TakeRows(table, order)), spin(table).index_select(0, order), 1e-8, 1e-8));
  }
}

// Predictions, and the gradients of all parameters.
std::vector<torch::Tensor> PredictionsAndGradients(const SpinOptions& options, const MaskedTable& table) {
  Spin spin = MakeSpin(options);
  torch::Tensor predictions = spin(table);
  predictions.clamp_min(-1e3).square().sum().backward();
  std::vector<torch::Tensor> results{predictions.detach()};
  for (const torch::Tensor& parameter : spin->parameters()) results.push_back(parameter.grad());
  return results;
}

TEST(Spin, BlocksOfRowsChangeNeitherPredictionsNorGradients) {
  for (SpinOptions options : kVariants) {
    const MaskedTable table = RandomTable(23, kFiveAttributes);
    const std::vector<torch::Tensor> whole = PredictionsAndGradients(options, table);
    EXPECT_EQ(whole.front().sizes(), (std::vector<int64_t>{23, 5, 4}));
    for (const int64_t rows : {1, 5, 22, 23, 100}) {
      options.rows_per_block = rows;
      const std::vector<torch::Tensor> in_blocks = PredictionsAndGradients(options, table);
      ASSERT_EQ(in_blocks.size(), whole.size());
      for (size_t i = 0; i < whole.size(); ++i) {
        ASSERT_TRUE(in_blocks[i].defined()) << i;
        EXPECT_TRUE(torch::allclose(in_blocks[i], whole[i], 1e-9, 1e-9)) << i << ", " << rows << " rows";
      }
    }
  }
}

TEST(Spin, EncodingDoesNotDependOnTheOrderOfTheRows) {
  Spin spin = MakeSpin();
  const MaskedTable table = RandomTable(23, kFiveAttributes);
  EXPECT_TRUE(torch::allclose(spin->Encode(TakeRows(table, torch::randperm(23))), spin->Encode(table)));
}

TEST(Spin, PredictsFromTheInducingPointsAlone) {
  Spin spin = MakeSpin();
  const MaskedTable context = RandomTable(20, kFiveAttributes);
  const MaskedTable query = RandomTable(6, kFiveAttributes);
  const torch::Tensor points = spin->Encode(context);
  EXPECT_EQ(points.sizes(), (std::vector<int64_t>{3, 2, 8}));
  const torch::Tensor predictions = spin->Predict(query, points);
  EXPECT_EQ(predictions.sizes(), (std::vector<int64_t>{6, 5, 4}));
  // The rows of a query do not see each other.
  const torch::Tensor alone = spin->Predict(TakeRows(query, torch::tensor({2})), points);
  EXPECT_TRUE(torch::allclose(alone[0], predictions[2]));
}

TEST(Spin, APredictorWithinRowsSeesTheQueryAlone) {
  Spin spin = MakeSpin({.xabd = false, .predict_within_rows = true});
  const MaskedTable query = RandomTable(4, kFiveAttributes);
  const torch::Tensor predictions = spin->Predict(query, spin->Encode(RandomTable(9, kFiveAttributes)));
  EXPECT_TRUE(torch::equal(predictions, spin->Predict(query, spin->Encode(RandomTable(3, kFiveAttributes)))));
  // Its weights do not grow with the square of the number of attributes.
  EXPECT_LT(ParameterCount(*spin), ParameterCount(*MakeSpin({.xabd = false})) / 4);
}

TEST(Spin, TheTableReachesThePredictionsThroughXabdOnly) {
  for (const bool xabd : {true, false}) {
    Spin spin = MakeSpin({.xabd = xabd});
    const MaskedTable query = RandomTable(4, kFiveAttributes);
    const torch::Tensor first = spin->Predict(query, spin->Encode(RandomTable(9, kFiveAttributes)));
    const torch::Tensor second = spin->Predict(query, spin->Encode(RandomTable(9, kFiveAttributes)));
    EXPECT_EQ(torch::equal(first, second), !xabd);
  }
}

double SpinAccuracyWithoutTraining(bool smoother) {
  const LookUp table;
  auto options = table.SmallModel<SpinOptions>(smoother);
  options.inducing_points = 200;
  options.latent_attributes = table.kColumns;
  Spin spin(options);
  spin->eval();
  return table.Accuracy(spin->Predict(table.query, spin->Encode(table.context)));
}

TEST(Spin, StartsAsASmootherThatLooksUpAlikeRows) {
  EXPECT_GT(SpinAccuracyWithoutTraining(true), 0.9);
  EXPECT_LT(SpinAccuracyWithoutTraining(false), 0.8);
}

TEST(Spin, EveryParameterHasAGradient) {
  for (const SpinOptions& options : kVariants) {
    Spin spin = MakeSpin(options);
    spin(RandomTable(9, kFiveAttributes)).clamp_min(-1e3).square().sum().backward();
    for (const auto& parameter : spin->named_parameters()) {
      EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
    }
  }
}

TEST(Spin, RemovedSublayersHaveNoParameters) {
  const auto has = [](const Spin& spin, const std::string& prefix) {
    return !WithoutPrefix(ModuleState(*spin), prefix).empty();
  };
  EXPECT_TRUE(has(MakeSpin(), "xaba.") && has(MakeSpin(), "xabd.") && has(MakeSpin(), "abla."));
  EXPECT_FALSE(has(MakeSpin({.xaba = false}), "xaba."));
  EXPECT_FALSE(has(MakeSpin({.xabd = false}), "xabd."));
  EXPECT_FALSE(has(MakeSpin({.abla = false}), "abla."));
}

void ExpectGradientsOfDifferences(const SpinOptions& options) {
  Spin spin = MakeSpin(options);
  const MaskedTable table = RandomTable(7, kFiveAttributes);
  const torch::Tensor projection = torch::randn({7, 5, 4}, torch::kFloat64);
  const auto loss = [&] {
    SeedGenerators(1);  // the same dropout each time
    return (spin(table).clamp_min(-1e3) * projection).sum();
  };
  loss().backward();
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (auto& parameter : spin->named_parameters()) {
    torch::Tensor values = parameter.value();
    const torch::Tensor direction = torch::randn_like(values);
    values.add_(direction, kStep);
    const double above = loss().item<double>();
    values.add_(direction, -2 * kStep);
    const double below = loss().item<double>();
    values.add_(direction, kStep);
    const double expected = (above - below) / (2 * kStep);
    EXPECT_NEAR((values.grad() * direction).sum().item<double>(), expected, 1e-4 * (1.0 + std::abs(expected)))
        << parameter.key();
  }
}

TEST(Spin, GradientsMatchFiniteDifferences) {
  SpinOptions options;
  ExpectGradientsOfDifferences(options);
  options.hidden_dropout = options.attention_dropout = 0.2;
  options.rows_per_block = 3;
  ExpectGradientsOfDifferences(options);
}

TEST(Spin, PredictorWeightsAreADistributionOverTheInducingPoints) {
  Spin spin = MakeSpin();
  const MaskedTable table = RandomTable(9, kFiveAttributes);
  const torch::Tensor weights = spin->PredictorWeights(table, spin->Encode(table));
  EXPECT_EQ(weights.sizes(), (std::vector<int64_t>{2, 9, 3}));
  EXPECT_TRUE(torch::allclose(weights.sum(-1), torch::ones({2, 9}, torch::kFloat64)));
}

}  // namespace
}  // namespace haplospin
