#include "learning/tabular/kernel_fits.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "learning/tabular/label_distribution.h"

namespace haplospin {
namespace {

// A column of numbers and one of three categories, some of them missing.
EncodedTable RandomColumns(int64_t rows) {
  EncodedTable table{torch::empty({rows, 2}), torch::rand({rows, 2}) < 0.2};
  table.values.select(1, 0).normal_().mul_(50).add_(1000);
  table.values.select(1, 1).copy_(torch::randint(3, {rows}));
  table.values.masked_fill_(table.missing, 0);
  return table;
}

const Attributes kColumns = {{.classes = 0}, {.classes = 3}};

TEST(KernelColumns, DoNotDependOnTheUnitOfNumbers) {
  torch::manual_seed(1);
  const EncodedTable table = RandomColumns(60);
  const EncodedTable other{table.values.clone(), table.missing};
  other.values.select(1, 0).mul_(0.25).add_(3);
  const KernelRows rows = KernelColumns(table, kColumns).Transform(table);
  const KernelRows others = KernelColumns(other, kColumns).Transform(other);
  EXPECT_TRUE(torch::allclose(rows.standardized, others.standardized, 1e-3, 1e-3));
  EXPECT_TRUE(torch::allclose(rows.forms, others.forms, 1e-3, 1e-3));
  EXPECT_TRUE(torch::equal(rows.codes, others.codes));
}

TEST(KernelColumns, MissingValuesAndCategoriesAreNoNumbers) {
  torch::manual_seed(2);
  const EncodedTable table = RandomColumns(60);
  const KernelRows rows = KernelColumns(table, kColumns).Transform(table);
  EXPECT_TRUE(torch::equal(rows.codes == -1, table.missing));
  EXPECT_TRUE((rows.standardized.masked_select(table.missing) == 0).all().item<bool>());
  EXPECT_TRUE((rows.standardized.select(1, 1) == 0).all().item<bool>());
  EXPECT_TRUE((rows.forms.select(1, 1) == 0).all().item<bool>());
  EXPECT_TRUE((rows.codes.select(1, 0) <= 0).all().item<bool>());
}

TEST(KernelColumns, RanksAreBetweenMinusOneAndOneAndFarNumbersAreCutOff) {
  const EncodedTable known{torch::arange(5, torch::kFloat32).unsqueeze(1), torch::zeros({5, 1}, torch::kBool)};
  const EncodedTable rows{torch::tensor({{-1e6f}, {2.0f}, {1e6f}}), torch::zeros({3, 1}, torch::kBool)};
  const KernelRows transformed = KernelColumns(known, {{.classes = 0}}).Transform(rows);
  EXPECT_TRUE(torch::allclose(transformed.forms.select(2, 0), torch::tensor({{-3.6f}, {0.0f}, {3.6f}})));
  EXPECT_TRUE(torch::allclose(transformed.forms.select(2, 1), torch::tensor({{-1.2f}, {0.0f}, {1.2f}})));
}

TEST(KernelColumns, AreFiniteForColumnsWithoutNumbersAndForConstantOnes) {
  const EncodedTable table{torch::full({5, 2}, 7.0f), torch::zeros({5, 2}, torch::kBool)};
  table.missing.select(1, 0).fill_(true);
  const KernelRows rows = KernelColumns(table, {{.classes = 0}, {.classes = 0}}).Transform(table);
  EXPECT_TRUE(rows.standardized.isfinite().all().item<bool>());
  EXPECT_TRUE(rows.forms.isfinite().all().item<bool>());
}

// Columns of numbers, or of categories.
Attributes Columns(int64_t d, int64_t classes = 0) { return Attributes(static_cast<size_t>(d), {.classes = classes}); }

EncodedTable RowsOf(const torch::Tensor& values) { return {values, torch::zeros_like(values, torch::kBool)}; }

torch::Tensor Standardized(const torch::Tensor& labels) { return (labels - labels.mean()) / labels.std(false); }

double MeanSquare(const torch::Tensor& difference) { return difference.square().mean().item<double>(); }

// The first rows of x are known; the means of the others are predicted.
torch::Tensor PredictOthers(const torch::Tensor& x, const torch::Tensor& targets, int64_t known,
                            int64_t categories = 0) {
  const KernelFits fits(RowsOf(x.narrow(0, 0, known)), Columns(x.size(1), categories), targets.narrow(0, 0, known));
  return fits.Predict(RowsOf(x.narrow(0, known, x.size(0) - known)));
}

// The mean squared error of the other rows.
double ErrorOfOthers(const torch::Tensor& x, const torch::Tensor& labels, int64_t known, int64_t categories = 0) {
  const torch::Tensor targets = labels.unsqueeze(1);
  return MeanSquare(PredictOthers(x, targets, known, categories) - targets.narrow(0, known, x.size(0) - known));
}

// A function of the first two columns with a little noise.
torch::Tensor SmoothLabels(const torch::Tensor& x) {
  return Standardized((2 * x.select(1, 0)).sin() + x.select(1, 1) + 0.05 * torch::randn({x.size(0)}));
}

TEST(KernelFits, PredictSmoothFunctionsOfSomeColumns) {
  for (const int64_t useless : {0, 8}) {
    torch::manual_seed(2);
    const torch::Tensor x = torch::randn({200, 2 + useless});
    EXPECT_LT(ErrorOfOthers(x, SmoothLabels(x), 150), useless == 0 ? 0.05 : 0.15);
  }
}

// A difference of columns that are nearly the same, of which their ranks say little.
TEST(KernelFits, PredictLinearFunctionsOfCollinearColumns) {
  torch::manual_seed(8);
  const torch::Tensor first = torch::randn({200}), difference = 0.05 * torch::randn({200});
  const torch::Tensor x = torch::stack({first, first + difference, 2 * first - difference}, 1);
  EXPECT_LT(ErrorOfOthers(x, Standardized(difference), 150), 0.01);
}

// A linear relation holds in the long tails of skewed columns, too.
TEST(KernelFits, PredictLinearFunctionsOfSkewedColumns) {
  torch::manual_seed(9);
  const torch::Tensor x = torch::randn({1500, 3}).exp();
  EXPECT_LT(ErrorOfOthers(x, Standardized(x.matmul(torch::tensor({1.0f, -0.5f, 2.0f}))), 500), 0.01);
}

// A code for a missing value that no known row has is not a number a hundred times as large.
TEST(KernelFits, PredictNothingExtremeFromNumbersBeyondTheTails) {
  torch::manual_seed(9);
  torch::Tensor x = torch::randn({300, 3});
  const torch::Tensor labels = Standardized(x.matmul(torch::tensor({1.0f, -0.5f, 2.0f}))).unsqueeze(1);
  x.narrow(0, 250, 50).select(1, 0).fill_(-999);
  EXPECT_LT(PredictOthers(x, labels, 250).abs().max().item<double>(), 10);
}

TEST(KernelFits, NoiseCannotBePredicted) {
  torch::manual_seed(4);
  const torch::Tensor predicted = PredictOthers(torch::randn({170, 3}), Standardized(torch::randn({170, 1})), 120);
  EXPECT_LT(predicted.std().item<double>(), 0.5);
}

TEST(KernelFits, TellClassesApart) {
  torch::manual_seed(5);
  const torch::Tensor x = torch::randn({200, 3});
  const torch::Tensor labels = (x.select(1, 0) > 0).to(torch::kInt64) + 2 * (x.select(1, 1) > 0).to(torch::kInt64);
  const torch::Tensor chosen = PredictOthers(x, LabelTargets(labels, 4), 150).argmax(1);
  EXPECT_GT((chosen == labels.narrow(0, 150, 50)).to(torch::kFloat64).mean().item<double>(), 0.8);
}

TEST(KernelFits, OrderOfRowsAndColumnsDoesNotMatter) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({200, 4}), labels = SmoothLabels(x).unsqueeze(1);
  const torch::Tensor columns = torch::randperm(4), order = torch::cat({torch::randperm(150), torch::arange(150, 200)});
  const torch::Tensor predicted = PredictOthers(x, labels, 150);
  const torch::Tensor other =
      PredictOthers(x.index_select(0, order).index_select(1, columns), labels.index_select(0, order), 150);
  EXPECT_TRUE(torch::allclose(predicted, other, 1e-2, 1e-2));
}

TEST(KernelFits, CategoriesAreToldApart) {
  torch::manual_seed(7);
  const torch::Tensor x = torch::randint(6, {300, 2}).to(torch::kFloat32);
  const torch::Tensor labels = Standardized((x.select(1, 0) == 3).to(torch::kFloat32) + x.select(1, 1) * 0.01);
  EXPECT_LT(ErrorOfOthers(x, labels, 200, 6), 0.01);
}

TEST(KernelFits, UseSomeOfManyRows) {
  torch::manual_seed(6);
  const torch::Tensor x = torch::randn({2700, 2}), labels = Standardized(x.select(1, 0) * x.select(1, 1));
  EXPECT_LT(ErrorOfOthers(x, labels, 2600), 0.05);
}

// A thousand rows say less of a rough function than two thousand.
TEST(KernelFits, FitMoreRowsThanTheyCompare) {
  torch::manual_seed(9);
  const torch::Tensor x = torch::randn({2200, 2});
  const torch::Tensor labels = Standardized((6 * x.select(1, 0)).sin() * (6 * x.select(1, 1)).cos());
  const double half_error = ErrorOfOthers(torch::cat({x.narrow(0, 0, 1000), x.narrow(0, 2000, 200)}),
                                          torch::cat({labels.narrow(0, 0, 1000), labels.narrow(0, 2000, 200)}), 1000);
  EXPECT_LT(ErrorOfOthers(x, labels, 2000), 0.8 * half_error);
}

TEST(KernelFits, PredictKnownRowsWithoutTheirTargets) {
  for (const int64_t known : {60, 2100}) {
    torch::manual_seed(10);
    const EncodedTable rows = RowsOf(torch::randn({known, 3}));
    const torch::Tensor noise = Standardized(torch::randn({known, 1}));
    const torch::Tensor predicted = KernelFits(rows, Columns(3), noise).PredictKnown(rows, torch::arange(known));
    const torch::Tensor other = noise.clone();
    other[0][0] += 3;
    EXPECT_LT((predicted * noise).mean().item<double>(), 0.1);
    EXPECT_NEAR(KernelFits(rows, Columns(3), other).PredictKnown(rows, torch::arange(known))[0][0].item<double>(),
                predicted[0][0].item<double>(), 0.3);
  }
}

TEST(KernelFits, EqualTargetsAndColumnsAreNoFault) {
  const EncodedTable rows = RowsOf(torch::ones({5, 2}));
  for (const int64_t classes : {0, 2}) {
    const KernelFits fits(rows, Columns(2), LabelTargets(torch::zeros({5}), classes));
    EXPECT_TRUE(fits.Predict(rows).isfinite().all().item<bool>());
  }
  const KernelFits one(RowsOf(torch::ones({1, 2})), Columns(2), torch::zeros({1, 1}));
  EXPECT_TRUE(one.Predict(rows).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace haplospin
