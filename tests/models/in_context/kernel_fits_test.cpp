#include "models/in_context/kernel_fits.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "models/in_context/number_bins.h"

namespace haplospin {
namespace {

// Columns of numbers, or of categories.
Attributes Columns(int64_t d, int64_t classes = 0) { return Attributes(static_cast<size_t>(d), {.classes = classes}); }

FitRows RowsOf(const torch::Tensor& values, int64_t context, int64_t classes = 0) {
  const TaskTable table{.values = values,
                        .missing = torch::zeros_like(values, torch::kBool),
                        .columns = Columns(values.size(1), classes),
                        .context = context};
  return MakeFitRows(CellInputs(table, 3), table.values, table.missing);
}

FitRows Chosen(const FitRows& rows, const torch::Tensor& index) {
  return {rows.standardized.index_select(0, index), rows.numbers.index_select(0, index),
          rows.codes.index_select(0, index)};
}

torch::Tensor Standardized(const torch::Tensor& labels) { return (labels - labels.mean()) / labels.std(false); }

torch::Tensor MeanOf(const FitPredictions& predictions) {
  return BinMean(predictions.logits.narrow(1, kMaxClasses, kNumberBins).softmax(1));
}

double MeanSquare(const torch::Tensor& difference) { return difference.square().mean().item<double>(); }

// Numbers, and labels that are a function of them with a little noise.
struct SmoothTask {
  FitRows rows;
  torch::Tensor labels;
};

SmoothTask MakeSmoothTask(int64_t useless_columns) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({200, 2 + useless_columns});
  const torch::Tensor y = (2 * x.select(1, 0)).sin() + x.select(1, 1) + 0.05 * torch::randn({200});
  return {RowsOf(x, 150), Standardized(y)};
}

TEST(KernelFits, PredictSmoothFunctionsOfSomeColumns) {
  for (const int64_t useless : {0, 8}) {
    const SmoothTask task = MakeSmoothTask(useless);
    const KernelFits fits(task.rows.Part(0, 150), Columns(2 + useless), task.labels.narrow(0, 0, 150), 0);
    const torch::Tensor predicted = MeanOf(fits.Predict(task.rows.Part(150, 50)));
    EXPECT_LT(MeanSquare(predicted - task.labels.narrow(0, 150, 50)), useless == 0 ? 0.05 : 0.15);
  }
}

// A difference of columns that are nearly the same, of which their ranks say little.
TEST(KernelFits, PredictLinearFunctionsOfCollinearColumns) {
  torch::manual_seed(8);
  const torch::Tensor first = torch::randn({200}), difference = 0.05 * torch::randn({200});
  const FitRows rows = RowsOf(torch::stack({first, first + difference, 2 * first - difference}, 1), 150);
  const torch::Tensor labels = Standardized(difference);
  const KernelFits fits(rows.Part(0, 150), Columns(3), labels.narrow(0, 0, 150), 0);
  EXPECT_LT(MeanSquare(MeanOf(fits.Predict(rows.Part(150, 50))) - labels.narrow(0, 150, 50)), 0.01);
}

// What is said of a row of the context is about what would be said of it as a new row.
TEST(KernelFits, LeaveRowsOut) {
  const SmoothTask task = MakeSmoothTask(1);
  const FitRows rows = task.rows.Part(0, 60);
  const torch::Tensor labels = task.labels.narrow(0, 0, 60);
  const torch::Tensor left_out =
      KernelFits(rows, Columns(3), labels, 0).LeftOut().inputs.narrow(1, 0, kFits * kMaxClasses);
  for (const int64_t row : {0, 17, 59}) {
    const torch::Tensor others = torch::cat({torch::arange(0, row), torch::arange(row + 1, 60)});
    const KernelFits without(Chosen(rows, others), Columns(3), labels.index_select(0, others), 0);
    const torch::Tensor predicted = without.Predict(rows.Part(row, 1)).inputs.narrow(1, 0, kFits * kMaxClasses);
    EXPECT_LT((predicted[0] - left_out[row]).abs().max().item<double>(), 0.15) << row;
  }
}

TEST(KernelFits, NoiseCannotBePredicted) {
  torch::manual_seed(4);
  const FitRows rows = RowsOf(torch::randn({120, 3}), 120);
  const torch::Tensor labels = Standardized(torch::randn({120}));
  EXPECT_GT(MeanSquare(MeanOf(KernelFits(rows, Columns(3), labels, 0).LeftOut()) - labels), 0.9);
}

TEST(KernelFits, TellClassesApart) {
  torch::manual_seed(5);
  const torch::Tensor x = torch::randn({200, 3});
  const torch::Tensor labels = (x.select(1, 0) > 0).to(torch::kFloat32) + 2 * (x.select(1, 1) > 0).to(torch::kFloat32);
  const FitRows rows = RowsOf(x, 150);
  const KernelFits fits(rows.Part(0, 150), Columns(3), labels.narrow(0, 0, 150), 4);
  const torch::Tensor chosen = fits.Predict(rows.Part(150, 50)).logits.narrow(1, 0, 4).argmax(1);
  EXPECT_GT((chosen == labels.narrow(0, 150, 50)).to(torch::kFloat64).mean().item<double>(), 0.8);
}

TEST(KernelFits, OrderOfRowsAndColumnsDoesNotMatter) {
  const SmoothTask task = MakeSmoothTask(2);
  const torch::Tensor order = torch::randperm(150), columns = torch::randperm(4);
  const FitRows context = task.rows.Part(0, 150), targets = task.rows.Part(150, 50);
  const auto by_columns = [&](const FitRows& rows) {
    return FitRows{rows.standardized.index_select(1, columns), rows.numbers.index_select(1, columns),
                   rows.codes.index_select(1, columns)};
  };
  const torch::Tensor labels = task.labels.narrow(0, 0, 150);
  const KernelFits fits(context, Columns(4), labels, 0);
  const KernelFits other(by_columns(Chosen(context, order)), Columns(4), labels.index_select(0, order), 0);
  EXPECT_TRUE(torch::allclose(fits.Predict(targets).inputs, other.Predict(by_columns(targets)).inputs, 1e-2, 1e-2));
}

TEST(KernelFits, CategoriesAreToldApart) {
  torch::manual_seed(7);
  const torch::Tensor x = torch::randint(6, {300, 2}).to(torch::kFloat32);
  const torch::Tensor labels = Standardized((x.select(1, 0) == 3).to(torch::kFloat32) + x.select(1, 1) * 0.01);
  const FitRows rows = RowsOf(x, 200, 6);
  const KernelFits fits(rows.Part(0, 200), Columns(2, 6), labels.narrow(0, 0, 200), 0);
  EXPECT_LT(MeanSquare(MeanOf(fits.Predict(rows.Part(200, 100))) - labels.narrow(0, 200, 100)), 0.01);
}

TEST(KernelFits, UseSomeOfManyRows) {
  torch::manual_seed(6);
  const int64_t n = KernelFits::kMaxFitRows + 500;
  const torch::Tensor x = torch::randn({n, 2}), labels = Standardized(x.select(1, 0) * x.select(1, 1));
  const KernelFits fits(RowsOf(x, n), Columns(2), labels, 0);
  const torch::Tensor left_out = MeanOf(fits.LeftOut());
  ASSERT_EQ(left_out.size(0), n);
  EXPECT_LT(MeanSquare(left_out - labels), 0.1);
}

TEST(KernelFits, EqualLabelsAndColumnsAreNoFault) {
  const FitRows rows = RowsOf(torch::ones({5, 2}), 5);
  for (const int64_t classes : {0, 2}) {
    const FitPredictions predicted = KernelFits(rows, Columns(2), torch::zeros({5}), classes).Predict(rows);
    EXPECT_TRUE(predicted.inputs.isfinite().all().item<bool>());
    EXPECT_TRUE(predicted.logits.isfinite().all().item<bool>());
  }
  const KernelFits one(rows.Part(0, 1), Columns(2), torch::zeros({1}), 0);
  EXPECT_TRUE(one.Predict(rows).logits.isfinite().all().item<bool>());
}

}  // namespace
}  // namespace haplospin
