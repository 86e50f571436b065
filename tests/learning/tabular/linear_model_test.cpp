#include "learning/tabular/linear_model.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

// Features x and z, a category of three, and a target; z is missing now and then.
EncodedTable DrawTable(int64_t rows, uint64_t seed, const std::function<torch::Tensor(const torch::Tensor&)>& target) {
  torch::manual_seed(seed);
  EncodedTable table{torch::randn({rows, 4}), torch::zeros({rows, 4}, torch::kBool)};
  table.values.select(1, 2).copy_(torch::randint(3, {rows}).to(torch::kFloat32));
  table.values.select(1, 3).copy_(target(table.values));
  table.missing.select(1, 1).copy_(torch::rand({rows}) < 0.1);
  table.values.select(1, 1).masked_fill_(table.missing.select(1, 1), 0);
  return table;
}

const torch::Tensor kLastIsTarget = torch::tensor({false, false, false, true});

double ErrorOf(LinearModel& model, const EncodedTable& table) {
  const torch::Tensor predicted = model.forward(table.Masked()).select(1, 3).select(1, 0);
  return (predicted - table.values.select(1, 3)).square().mean().item<double>();
}

TEST(LinearModel, FindsALinearRule) {
  const auto rule = [](const torch::Tensor& v) {
    return 2 * v.select(1, 0) + (v.select(1, 2) == 1).to(torch::kFloat32) * 3 + 5 + 0.1 * torch::randn({v.size(0)});
  };
  LinearModel model({{0}, {0}, {3}, {0}}, kLastIsTarget);
  EXPECT_EQ(model.forward(DrawTable(5, 1, rule).Masked()).abs().max().item<double>(), 0);
  model.Fit(DrawTable(200, 1, rule));
  EXPECT_NEAR(ErrorOf(model, DrawTable(500, 2, rule)), 0.01, 0.003);
}

TEST(LinearModel, BendsOnlyWhereThatHelps) {
  const auto bent = [](const torch::Tensor& v) { return v.select(1, 0).abs() + 0.1 * torch::randn({v.size(0)}); };
  LinearModel model({{0}, {0}, {3}, {0}}, kLastIsTarget);
  model.Fit(DrawTable(300, 1, bent));
  EXPECT_LT(ErrorOf(model, DrawTable(500, 2, bent)), 0.05);
  const auto noise = [](const torch::Tensor& v) { return torch::randn({v.size(0)}); };
  model.Fit(DrawTable(100, 1, noise));
  EXPECT_LT(ErrorOf(model, DrawTable(2000, 2, noise)), 1.1);
}

TEST(LinearModel, ClassesAsLogits) {
  const auto rule = [](const torch::Tensor& v) {
    return (v.select(1, 0) + 0.5 * torch::randn({v.size(0)}) > 0.5).to(torch::kFloat32);
  };
  LinearModel model({{0}, {0}, {3}, {2}}, kLastIsTarget);
  model.Fit(DrawTable(300, 1, rule));
  const EncodedTable test = DrawTable(1000, 2, rule);
  const torch::Tensor all_logits = model.forward(test.Masked()).select(1, 3);
  EXPECT_LT(all_logits.softmax(1).select(1, 2).max().item<double>(), 1e-9);  // a feature has a third class
  const torch::Tensor logits = all_logits.narrow(1, 0, 2);
  const torch::Tensor truth = test.values.select(1, 3).to(torch::kInt64);
  EXPECT_GT((logits.argmax(1) == truth).to(torch::kFloat32).mean().item<double>(), 0.84);
  EXPECT_LT(torch::nll_loss(logits.log_softmax(1), truth).item<double>(), 0.38);
}

// The same as the solution of the normal equations, if hardly penalized.
TEST(LinearFit, IsTheLeastSquaresSolution) {
  torch::manual_seed(1);
  const torch::Tensor x =
      torch::cat({torch::randn({400, 3}, torch::kFloat64), torch::ones({400, 1}, torch::kFloat64)}, 1);
  const torch::Tensor truth = torch::tensor({1.0, -2.0, 0.5, 7.0}, torch::kFloat64);
  const LinearFit fit = FitLinear(x, x.matmul(truth) + 1e-3 * torch::randn({400}, torch::kFloat64), 0);
  EXPECT_TRUE(torch::allclose(fit.weights.squeeze(1), truth, 0, 2e-3));
  EXPECT_LT(fit.loss, 1e-4);
}

TEST(LinearFit, OfConstantFeaturesIsTheMean) {
  const torch::Tensor x = torch::ones({40, 3}, torch::kFloat64), truth = torch::arange(40).to(torch::kFloat64);
  const torch::Tensor weights = FitLinear(x, truth, 0).weights;
  EXPECT_NEAR(x.matmul(weights)[7][0].item<double>(), 19.5, 1e-9);
  const torch::Tensor logits = x.matmul(FitLinear(x, (truth < 10).to(torch::kFloat64), 2).weights);
  EXPECT_NEAR(logits.softmax(1)[7][1].item<double>(), 0.25, 0.02);
}

const Attributes kErrorAttributes = {{0}, {0}, {2}};
const torch::Tensor kErrorTargets = torch::tensor({false, true, true});

TEST(PredictionErrorModel, KnowsWhereErrorsAreLarge) {
  torch::manual_seed(2);
  EncodedTable rows{torch::randn({800, 3}), torch::zeros({800, 3}, torch::kBool)};
  rows.values.select(1, 1).copy_(torch::randn({800}) * rows.values.select(1, 0).exp());
  rows.values.select(1, 2).fill_(1);
  PredictionErrorModel errors(kErrorAttributes, kErrorTargets);
  errors.Fit(rows, torch::zeros({800, 3, 2}));
  const torch::Tensor deviations = errors.Deviations(rows.Masked());
  EXPECT_TRUE((deviations.select(1, 2) == 1).all().item<bool>());
  const torch::Tensor ratio = (deviations.select(1, 1) / rows.values.select(1, 0).exp()).log();
  EXPECT_LT(ratio.abs().mean().item<double>(), 0.3);
}

// The errors are normal in the half of the rows where they are small and have a heavy upper tail elsewhere.
TEST(PredictionErrorModel, QuantilesHaveTheirShareOfTheErrors) {
  const Attributes attributes = {{0}, {0}};
  const torch::Tensor is_target = torch::tensor({false, true});
  const auto draw = [](int64_t seed) {
    torch::manual_seed(seed);
    EncodedTable rows{torch::randn({6000, 2}), torch::zeros({6000, 2}, torch::kBool)};
    const torch::Tensor x = rows.values.select(1, 0);
    rows.values.select(1, 1).copy_(torch::randn({6000}).square() * x.exp());
    return rows;
  };
  PredictionErrorModel errors(attributes, is_target);
  const EncodedTable known = draw(1), others = draw(2);
  errors.Fit(known, torch::zeros({6000, 2, 1}));
  const torch::Tensor deviations = errors.Deviations(others.Query(is_target)).select(1, 1);
  const torch::Tensor quantiles = errors.Quantiles({0.05, 0.5, 0.95})[1];
  const auto share = [&](int64_t q) {
    const torch::Tensor below = others.values.select(1, 1) < deviations * quantiles[q];
    return below.to(torch::kFloat64).mean().item<double>();
  };
  EXPECT_NEAR(share(0), 0.05, 0.015);
  EXPECT_NEAR(share(1), 0.5, 0.03);
  EXPECT_NEAR(share(2), 0.95, 0.015);
}

TEST(PredictionErrorModel, OfAFewErrorsIsTheirDeviation) {
  const EncodedTable rows{torch::randn({4, 3}), torch::zeros({4, 3}, torch::kBool)};
  PredictionErrorModel errors(kErrorAttributes, kErrorTargets);
  errors.Fit(rows, torch::zeros({4, 3, 2}));
  const torch::Tensor expected = rows.values.select(1, 1).square().mean().sqrt();
  EXPECT_TRUE(torch::allclose(errors.Deviations(rows.Masked()).select(1, 1), expected.expand({4})));
}

}  // namespace
}  // namespace haplospin
