#include "tabular/prior/synthetic_task.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tabular/prior/causal_graph.h"
#include "tabular/prior/observed_columns.h"

namespace haplospin {
namespace {

TableTask TaskOf(uint64_t seed, const PriorOptions& options = {}) {
  RandomStream random(seed, {1});
  const TaskSizes sizes = DrawTaskSizes(options, random);
  return DrawSyntheticTask(options, sizes, random);
}

std::set<float> Different(const torch::Tensor& numbers) {
  const torch::Tensor given = numbers.contiguous();
  return {given.data_ptr<float>(), given.data_ptr<float>() + given.numel()};
}

TEST(SyntheticTask, HasTheSizesAndValuesThatItSays) {
  const PriorOptions options{.min_rows = 20, .max_rows = 200, .max_columns = 30, .max_cells = 2000, .missing = 0.5};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const TableTask task = TaskOf(seed, options);
    const int64_t n = task.labels.size(0), d = task.table.values.size(1);
    ASSERT_EQ(task.table.values.sizes(), (torch::IntArrayRef{n, d}));
    ASSERT_EQ(task.table.missing.sizes(), (torch::IntArrayRef{n, d}));
    ASSERT_EQ(std::ssize(task.table.columns), d);
    EXPECT_TRUE(n >= 20 && n <= 200 && d >= 1 && d <= 30);
    EXPECT_TRUE(n * d <= 2000 || n == 20);
    EXPECT_TRUE(task.table.context >= n / 2 && task.table.context < n);
    EXPECT_TRUE(task.table.values.isfinite().all().item<bool>()) << seed;
    EXPECT_TRUE(task.labels.isfinite().all().item<bool>()) << seed;
    for (int64_t j = 0; j < d; ++j) {
      const int64_t classes = task.table.columns[static_cast<size_t>(j)].classes;
      if (classes == 0) continue;
      const torch::Tensor column = task.table.values.select(1, j);
      EXPECT_TRUE(((column >= 0) & (column < classes) & (column == column.round())).all().item<bool>()) << seed;
    }
  }
}

TEST(SyntheticTask, EveryClassIsInTheContext) {
  int tables = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const TableTask task = TaskOf(seed);
    if (task.classes == 0) continue;
    ++tables;
    const std::set<float> known = Different(task.labels.narrow(0, 0, task.table.context));
    EXPECT_EQ(std::ssize(known), task.classes);
    EXPECT_EQ(*known.begin(), 0.0f);
    EXPECT_EQ(*known.rbegin(), static_cast<float>(task.classes - 1));
    for (const float label : Different(task.labels)) EXPECT_TRUE(known.contains(label));
  }
  EXPECT_GT(tables, 50);
}

TEST(SyntheticTask, NumbersAreStandardizedByTheContext) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const TableTask task = TaskOf(seed, {.classification = 0});
    const torch::Tensor known = task.labels.narrow(0, 0, task.table.context);
    EXPECT_NEAR(known.mean().item<double>(), 0, 1e-3);
    EXPECT_NEAR(known.std(false).item<double>(), 1, 1e-3);
  }
}

TEST(SyntheticTask, TheSameSeedGivesTheSameTable) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const TableTask first = TaskOf(seed), second = TaskOf(seed), other = TaskOf(seed + 1000);
    EXPECT_TRUE(torch::equal(first.table.values, second.table.values));
    EXPECT_TRUE(torch::equal(first.labels, second.labels));
    EXPECT_FALSE(first.labels.sizes() == other.labels.sizes() && torch::equal(first.labels, other.labels));
  }
}

TEST(SyntheticTask, SharesOfKindsAreThoseOfTheOptions) {
  int classes = 0, missing = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const TableTask task = TaskOf(seed, {.classification = 0.25, .missing = 0});
    classes += task.classes > 0;
    missing += task.table.missing.any().item<bool>();
  }
  EXPECT_NEAR(classes, 50, 25);
  EXPECT_EQ(missing, 0);
}

TEST(CausalGraph, ColumnsAreStandardized) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random(seed, {2});
    for (const Numbers& column : DrawCausalGraph(100, 8, random)) {
      const torch::Tensor numbers = torch::tensor(column);
      EXPECT_NEAR(numbers.mean().item<double>(), 0, 1e-3);
      EXPECT_LT(numbers.std(false).item<double>(), 1.01);
    }
  }
}

TEST(CutIntoClasses, KeepsTheOrderOfNumbers) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random(seed, {3});
    Numbers numbers(80);
    for (float& x : numbers) x = static_cast<float>(random.Normal());
    const Numbers cut = CutIntoClasses(numbers, 5, random);
    for (size_t i = 1; i < numbers.size(); ++i) {
      EXPECT_TRUE(cut[i] >= 0 && cut[i] < 5);
      EXPECT_TRUE((numbers[i] < numbers[0]) ? cut[i] <= cut[0] : cut[i] >= cut[0]);
    }
  }
}

TEST(PriorOptions, ThroughJson) {
  const PriorOptions options{.min_rows = 11, .max_rows = 12, .max_columns = 13, .max_cells = 14, .missing = 0.1};
  EXPECT_EQ(nlohmann::json(nlohmann::json(options).get<PriorOptions>()), nlohmann::json(options));
}

}  // namespace
}  // namespace haplospin
