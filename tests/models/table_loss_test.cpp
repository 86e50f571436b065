#include "models/table_loss.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace haplospin {
namespace {

constexpr auto kDouble = torch::kFloat64;

TEST(TableLoss, IsCrossEntropyAndSquaredErrorAveragedOverWhatCounts) {
  // Two rows; a continuous attribute, a categorical one, and a categorical target.
  const Attributes attributes{{}, {.classes = 2}, {.classes = 3}};
  torch::Tensor predictions = torch::zeros({2, 3, 3}, kDouble);
  predictions[0][0][0] = 1.5;            // truth 1.0: squared error 0.25
  predictions[0][1][1] = std::log(3.0);  // truth 1: -log(3 / 4), were there two classes
  predictions[0][1][2] = -1e30;          // absent
  predictions[1][2] = torch::tensor({0.0, std::log(2.0), 0.0}, kDouble);  // truth 0: log 4
  const torch::Tensor truth = torch::tensor({1.0, 1.0, 0.0, 9.0, 0.0, 0.0}, kDouble).view({2, 3});
  const torch::Tensor in_loss = torch::tensor({true, true, false, false, false, true}, torch::kBool).view({2, 3});
  const torch::Tensor is_target = torch::tensor({false, false, true});
  const TableLosses losses = TableLoss(predictions, truth, in_loss, is_target, attributes);
  EXPECT_NEAR(losses.labels.item<double>(), std::log(4.0), 1e-12);
  EXPECT_NEAR(losses.attributes.item<double>(), (0.25 + std::log(4.0 / 3.0)) / 2.0, 1e-12);
  EXPECT_NEAR(losses.Total(0.25).item<double>(),
              0.75 * losses.labels.item<double>() + 0.25 * losses.attributes.item<double>(), 1e-12);
}

TEST(TableLoss, IsZeroWhereNothingCounts) {
  const TableLosses losses =
      TableLoss(torch::randn({4, 2, 3}), torch::zeros({4, 2}), torch::zeros({4, 2}, torch::kBool),
                torch::tensor({false, true}), Attributes(2, {.classes = 3}));
  EXPECT_EQ(losses.Total(0.5).item<float>(), 0.0f);
}

TEST(TableLoss, HandlesTablesOfOneKind) {
  const torch::Tensor all = torch::ones({1, 2}, torch::kBool);
  const torch::Tensor is_target = torch::tensor({false, true});
  const TableLosses continuous =
      TableLoss(torch::tensor({3.0, 5.0}, kDouble).view({1, 2, 1}), torch::tensor({{1.0, 8.0}}, kDouble), all,
                is_target, Attributes(2, Attribute{}));
  EXPECT_DOUBLE_EQ(continuous.attributes.item<double>(), 4.0);
  EXPECT_DOUBLE_EQ(continuous.labels.item<double>(), 9.0);
  const TableLosses categorical = TableLoss(torch::zeros({1, 2, 4}, kDouble), torch::tensor({{1.0, 3.0}}, kDouble), all,
                                            is_target, Attributes(2, {.classes = 4}));
  EXPECT_NEAR(categorical.labels.item<double>(), std::log(4.0), 1e-12);
}

}  // namespace
}  // namespace haplospin
