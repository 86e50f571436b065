#include "tabular/gaussian_process/kernel_fits.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "tabular/gaussian_process/number_bins.h"

namespace haplospin {
namespace {

// Columns of numbers, or of categories.
Attributes Columns(int64_t d, int64_t classes = 0) { return Attributes(static_cast<size_t>(d), {.classes = classes}); }

EncodedTable RowsOf(const torch::Tensor& values) { return {values, torch::zeros_like(values, torch::kBool)}; }

torch::Tensor Standardized(const torch::Tensor& labels) { return (labels - labels.mean()) / labels.std(false); }

double MeanSquare(const torch::Tensor& difference) { return difference.square().mean().item<double>(); }

// The first rows of x are known; the others are predicted.
torch::Tensor PredictOthers(const torch::Tensor& x, const torch::Tensor& labels, int64_t known, int64_t categories = 0,
                            int64_t classes = 0) {
  const KernelFits fits(RowsOf(x.narrow(0, 0, known)), Columns(x.size(1), categories), labels.narrow(0, 0, known),
                        classes);
  return fits.Predict(RowsOf(x.narrow(0, known, x.size(0) - known))).softmax(1);
}

// The mean squared error of the other rows' means.
double ErrorOfOthers(const torch::Tensor& x, const torch::Tensor& labels, int64_t known, int64_t categories = 0) {
  const torch::Tensor predicted = BinMean(PredictOthers(x, labels, known, categories));
  return MeanSquare(predicted - labels.narrow(0, known, x.size(0) - known));
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

TEST(KernelFits, NoiseCannotBePredicted) {
  torch::manual_seed(4);
  const torch::Tensor probabilities = PredictOthers(torch::randn({170, 3}), Standardized(torch::randn({170})), 120);
  EXPECT_LT(BinMean(probabilities).std().item<double>(), 0.5);
  EXPECT_GT(BinDeviation(probabilities).min().item<double>(), 0.9);
}

TEST(KernelFits, TellClassesApart) {
  torch::manual_seed(5);
  const torch::Tensor x = torch::randn({200, 3});
  const torch::Tensor labels = (x.select(1, 0) > 0).to(torch::kFloat32) + 2 * (x.select(1, 1) > 0).to(torch::kFloat32);
  const torch::Tensor chosen = PredictOthers(x, labels, 150, 0, 4).argmax(1);
  EXPECT_GT((chosen == labels.narrow(0, 150, 50)).to(torch::kFloat64).mean().item<double>(), 0.8);
}

TEST(KernelFits, OrderOfRowsAndColumnsDoesNotMatter) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({200, 4}), labels = SmoothLabels(x);
  const torch::Tensor columns = torch::randperm(4), order = torch::cat({torch::randperm(150), torch::arange(150, 200)});
  const torch::Tensor predicted = PredictOthers(x, labels, 150);
  const torch::Tensor other =
      PredictOthers(x.index_select(0, order).index_select(1, columns), labels.index_select(0, order), 150);
  EXPECT_TRUE(torch::allclose(BinMean(predicted), BinMean(other), 1e-2, 1e-2));
}

TEST(KernelFits, CategoriesAreToldApart) {
  torch::manual_seed(7);
  const torch::Tensor x = torch::randint(6, {300, 2}).to(torch::kFloat32);
  const torch::Tensor labels = Standardized((x.select(1, 0) == 3).to(torch::kFloat32) + x.select(1, 1) * 0.01);
  EXPECT_LT(ErrorOfOthers(x, labels, 200, 6), 0.01);
}

TEST(KernelFits, UseSomeOfManyRows) {
  torch::manual_seed(6);
  const torch::Tensor x = torch::randn({1700, 2}), labels = Standardized(x.select(1, 0) * x.select(1, 1));
  EXPECT_LT(ErrorOfOthers(x, labels, 1600), 0.1);
}

TEST(KernelFits, EqualLabelsAndColumnsAreNoFault) {
  const EncodedTable rows = RowsOf(torch::ones({5, 2}));
  for (const int64_t classes : {0, 2}) {
    const KernelFits fits(rows, Columns(2), torch::zeros({5}), classes);
    EXPECT_TRUE(fits.Predict(rows).isfinite().all().item<bool>());
  }
  const KernelFits one(RowsOf(torch::ones({1, 2})), Columns(2), torch::zeros({1}), 0);
  EXPECT_TRUE(one.Predict(rows).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace haplospin
