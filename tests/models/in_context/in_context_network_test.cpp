#include "models/in_context/in_context_network.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <nlohmann/json.hpp>

#include "models/in_context/cell_inputs.h"
#include "models/in_context/kernel_fits.h"
#include "models/in_context/number_bins.h"
#include "nn/named_tensors.h"

namespace haplospin {
namespace {

InContextNetwork SmallInContextNetwork() {
  torch::manual_seed(5);
  InContextNetwork network(InContextOptions{.width = 16, .depth = 2, .heads = 2, .inducing_points = 4});
  network->eval();
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& weight : network->parameters()) {
    if (weight.abs().sum().item<double>() == 0) weight.normal_(0, 0.2);  // the last layer begins with 0
  }
  return network;
}

struct RandomRows {
  torch::Tensor cells, labels, targets, unknown;
};

torch::Tensor WithFits(const torch::Tensor& labels) {
  return torch::cat({labels, torch::randn({labels.size(0), kFitInputs})}, 1).unsqueeze(0);
}

RandomRows MakeRows(int64_t context, int64_t targets, int64_t columns) {
  return {torch::randn({1, context, columns, kCellInputs}), WithFits(LabelInputs(torch::randn({context}), 0)),
          torch::randn({1, targets, columns, kCellInputs}), WithFits(UnknownLabelInputs(0).expand({targets, -1}))};
}

torch::Tensor PredictTargets(InContextNetwork& network, const RandomRows& rows) {
  return network->Predict(network->Encode(rows.cells, rows.labels), rows.targets, rows.unknown);
}

TEST(InContextNetwork, ChangesNothingBeforeTraining) {
  InContextNetwork network(InContextOptions{.width = 16, .depth = 2, .heads = 2, .inducing_points = 4});
  EXPECT_EQ(PredictTargets(network, MakeRows(30, 5, 7)).abs().sum().item<double>(), 0);
}

TEST(InContextNetwork, OrderOfContextRowsAndOfColumnsDoesNotMatter) {
  InContextNetwork network = SmallInContextNetwork();
  RandomRows rows = MakeRows(30, 5, 7);
  const torch::Tensor before = PredictTargets(network, rows);
  EXPECT_EQ(before.sizes(), (torch::IntArrayRef{1, 5, kMaxClasses + kNumberBins}));
  const torch::Tensor row_order = torch::randperm(30), column_order = torch::randperm(7);
  rows.cells = rows.cells.index_select(1, row_order).index_select(2, column_order);
  rows.labels = rows.labels.index_select(1, row_order);
  rows.targets = rows.targets.index_select(2, column_order);
  EXPECT_TRUE(torch::allclose(PredictTargets(network, rows), before, 1e-3, 1e-4));
}

TEST(InContextNetwork, RowsToPredictDoNotSeeEachOther) {
  InContextNetwork network = SmallInContextNetwork();
  RandomRows rows = MakeRows(20, 6, 3);
  const torch::Tensor together = PredictTargets(network, rows);
  rows.targets = rows.targets.narrow(1, 2, 1);
  rows.unknown = rows.unknown.narrow(1, 2, 1);
  EXPECT_TRUE(torch::allclose(PredictTargets(network, rows), together.narrow(1, 2, 1), 1e-3, 1e-4));
}

TEST(InContextNetwork, TablesOfABatchDoNotSeeEachOther) {
  InContextNetwork network = SmallInContextNetwork();
  const RandomRows first = MakeRows(20, 6, 3), second = MakeRows(20, 6, 3);
  const auto both = [](const torch::Tensor& a, const torch::Tensor& b) { return torch::cat({a, b}); };
  const RandomRows batch{both(first.cells, second.cells), both(first.labels, second.labels),
                         both(first.targets, second.targets), both(first.unknown, second.unknown)};
  const torch::Tensor together = PredictTargets(network, batch);
  EXPECT_TRUE(torch::allclose(together.narrow(0, 0, 1), PredictTargets(network, first), 1e-3, 1e-4));
  EXPECT_TRUE(torch::allclose(together.narrow(0, 1, 1), PredictTargets(network, second), 1e-3, 1e-4));
}

TEST(InContextNetwork, LabelsOfTheContextMatter) {
  InContextNetwork network = SmallInContextNetwork();
  RandomRows rows = MakeRows(20, 6, 3);
  const torch::Tensor before = PredictTargets(network, rows);
  rows.labels.narrow(2, 0, kLabelInputs).copy_(LabelInputs(torch::randn({20}), 0).unsqueeze(0));
  EXPECT_FALSE(torch::allclose(PredictTargets(network, rows), before, 1e-2, 1e-3));
}

TEST(InContextNetwork, BlocksOfManyRowsGiveTheSame) {
  InContextNetwork network = SmallInContextNetwork();
  const RandomRows rows = MakeRows(9000, 3, 9);  // more cells than a block has
  const torch::Tensor whole = PredictTargets(network, rows);
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::allclose(PredictTargets(network, rows), whole.detach(), 1e-3, 1e-4));
}

TEST(InContextNetwork, AllWeightsHaveGradients) {
  InContextNetwork network = SmallInContextNetwork();
  PredictTargets(network, MakeRows(20, 6, 3)).square().sum().backward();
  for (const auto& parameter : network->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    EXPECT_TRUE(parameter.value().grad().isfinite().all().item<bool>()) << parameter.key();
  }
}

TEST(InContextOptions, ThroughJsonAndBounds) {
  const InContextOptions options{.width = 48, .depth = 3, .heads = 6, .inducing_points = 9};
  const auto back = nlohmann::json(options).get<InContextOptions>();
  EXPECT_EQ(nlohmann::json(back), nlohmann::json(options));
  EXPECT_TRUE(AreValid(options));
  EXPECT_FALSE(AreValid(InContextOptions{.width = 50, .heads = 4}));
  EXPECT_FALSE(AreValid(InContextOptions{.depth = 0}));
  EXPECT_FALSE(AreValid(InContextOptions{.width = 1 << 20}));
  InContextNetwork network(options);
  EXPECT_LE(MinWeights(options), static_cast<double>(ParameterCount(*network)));
}

}  // namespace
}  // namespace haplospin
