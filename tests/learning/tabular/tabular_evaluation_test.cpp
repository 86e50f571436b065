#include "learning/tabular/tabular_evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "haplospin/errors.h"
#include "learning/tabular/random_tables.h"

namespace haplospin {
namespace {

CrossValidationOptions TwoFolds(const std::string& model, size_t rows) {
  CrossValidationOptions options;
  options.training = QuickTraining(model);
  options.training.members = 1;
  options.targets = {"class"};
  options.folds.resize(2);
  for (size_t row = 0; row < rows; ++row) options.folds[row % 2].push_back(row);
  return options;
}

TEST(TabularEvaluation, EveryRowIsTestedByAModelThatHasNotSeenIt) {
  const Table table = WithoutColumn(RandomTable(80, 1), "number");
  CrossValidationOptions options = TwoFolds("hopular", 80);
  options.explained_row = 7;
  const CrossValidation evaluation = CrossValidate(table, options, torch::kCPU);
  ASSERT_EQ(evaluation.folds.size(), 2u);
  ASSERT_EQ(evaluation.predictions[0].size(), 80u);
  std::set<size_t> tested;
  for (const TestPrediction& prediction : evaluation.predictions[0]) tested.insert(prediction.row);
  EXPECT_EQ(tested.size(), 80u);
  ASSERT_EQ(evaluation.explanation.size(), 40u);
  double sum = 0;
  for (const AttendedRow& attended : evaluation.explanation) {
    EXPECT_EQ(attended.row % 2, 0u);  // the rows of the other fold
    sum += attended.weight;
  }
  EXPECT_NEAR(sum, 1.0, 1e-4);
  EXPECT_TRUE(std::ranges::is_sorted(evaluation.explanation, std::ranges::greater(), &AttendedRow::weight));
}

// "class" is whether a + b > 0; c says nothing.
TEST(TabularEvaluation, ColumnsThatThePredictionsDependOnAreImportant) {
  const Table table = WithoutColumn(RandomTable(160, 1), "number");
  CrossValidationOptions options = TwoFolds("npt", 160);
  options.training.members = 0;
  options.measures_columns = true;
  const CrossValidation evaluation = CrossValidate(table, options, torch::kCPU);
  for (const FoldResult& fold : evaluation.folds) {
    const std::vector<double>& importance = fold.targets[0].importance;
    ASSERT_EQ(importance.size(), 4u);
    EXPECT_GT(importance[0], 0.2);
    EXPECT_GT(importance[1], 0.2);
    EXPECT_LT(std::abs(importance[2]), 0.1);
    EXPECT_TRUE(std::isnan(importance[3]));  // the target
  }
}

TEST(TabularEvaluation, CategoriesThatTrainingDoesNotHaveAreMissing) {
  Table table = WithoutColumn(RandomTable(60, 1), "number");
  CrossValidationOptions options = TwoFolds("hopular", 60);
  options.training.steps = 5;
  Table other = table;
  for (size_t row = 0; row < 60; ++row) {
    // Category w in the first fold's test rows only; whether it is w or missing must not matter to its predictions.
    if (row % 2 == 0) table.columns[2].codes[row] = 2;
    if (row % 2 == 0) other.columns[2].codes[row] = -1;
    if (row % 2 == 1 && table.columns[2].codes[row] == 2) table.columns[2].codes[row] = other.columns[2].codes[row] = 0;
  }
  options.folds.resize(1);
  const CrossValidation first = CrossValidate(table, options, torch::kCPU),
                        second = CrossValidate(other, options, torch::kCPU);
  EXPECT_EQ(*first.folds[0].targets[0].metrics.model.nll, *second.folds[0].targets[0].metrics.model.nll);
}

TEST(TabularEvaluation, FoldsMustLeaveRows) {
  const Table table = WithoutColumn(RandomTable(20, 1), "number");
  CrossValidationOptions options = TwoFolds("hopular", 20);
  options.folds[1].clear();
  EXPECT_THROW(CrossValidate(table, options, torch::kCPU), InputError);
}

// The last of the folds tests all rows of a class; no fold is trained before that is found.
TEST(TabularEvaluation, FoldsAreCheckedBeforeTraining) {
  Table table = WithoutColumn(RandomTable(60, 1), "number");
  for (size_t row = 0; row < 60; ++row) table.columns[3].codes[row] = row % 2 == 0 ? 0 : 1;
  CrossValidationOptions options = TwoFolds("hopular", 60);
  std::swap(options.folds[0], options.folds[1]);
  options.folds.insert(options.folds.begin(), {1, 2, 3, 4});
  bool has_trained = false;
  const auto report = [&](double, const std::string&) { has_trained = true; };
  EXPECT_THROW(CrossValidate(table, options, torch::kCPU, report), InputError);
  EXPECT_FALSE(has_trained);
}

}  // namespace
}  // namespace haplospin
