#include "tabular/tabular_network.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

// What the inner network is shown and returns: nothing but zeros, or the residual of each row of the memory.
class EchoNetwork : public ContextNetwork {
 public:
  torch::Tensor Train(const MaskedTable& batch, const MaskedTable& memory, const torch::Tensor&) override {
    seen = memory;
    return torch::zeros({batch.values.size(0), batch.values.size(1), 1});
  }
  torch::Tensor Predict(const EncodedContext& context, const MaskedTable& query) override {
    seen = context.rows;
    return torch::zeros({query.values.size(0), query.values.size(1), 1});
  }
  torch::Tensor ContextWeights(const EncodedContext&, const MaskedTable&) override { return {}; }

  MaskedTable seen;
};

TEST(ResidualNetwork, ShowsResidualsOfDeviationOneAndAddsTheFit) {
  torch::manual_seed(1);
  EncodedTable table{torch::randn({200, 2}), torch::zeros({200, 2}, torch::kBool)};
  table.values.select(1, 1).copy_(table.values.select(1, 0) * 3 + 0.01 * torch::randn({200}));
  const auto inner = std::make_shared<EchoNetwork>();
  const Attributes attributes = {{0}, {0}};
  const torch::Tensor is_target = torch::tensor({false, true});
  const auto linear = std::make_shared<LinearModel>(attributes, is_target);
  linear->Fit(table);
  ResidualNetwork network(inner, linear, attributes, is_target);
  network.Fit(table);
  EXPECT_NEAR(network.scale()[1].item<double>(), 0.01, 0.002);
  EXPECT_EQ(network.scale()[0].item<double>(), 1);
  MaskedTable query = table.Masked();
  Hide(query, torch::tensor({{false, true}}).expand({200, 2}));
  const torch::Tensor predicted = network.Predict(network.Encode(table.Masked()), query).select(1, 1).select(1, 0);
  EXPECT_LT((predicted - table.values.select(1, 1)).abs().max().item<double>(), 0.05);
  EXPECT_NEAR(inner->seen.values.select(1, 1).square().mean().item<double>(), 1, 0.05);
  EXPECT_TRUE(torch::equal(inner->seen.values.select(1, 0), table.values.select(1, 0)));
}

}  // namespace
}  // namespace haplospin
