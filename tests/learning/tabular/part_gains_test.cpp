#include "learning/tabular/part_gains.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

const Attributes kNumberAndClass = {{0}, {0}, {2}};
const torch::Tensor kTargets = torch::tensor({false, true, true});

struct Drawn {
  EncodedTable rows;
  PartPredictions predictions;
};

// One part finds nine tenths of the truth beyond a fit of 0, and the others add noise.
Drawn Draw(ModelPart finder) {
  torch::manual_seed(1);
  EncodedTable rows{torch::randn({500, 3}), torch::zeros({500, 3}, torch::kBool)};
  rows.values.select(1, 2).copy_((rows.values.select(1, 1) > 0).to(torch::kFloat32));
  torch::Tensor linear = torch::zeros({500, 3, 2}), added = torch::zeros({500, 3, 2});
  linear.select(1, 2).fill_(0.5);
  added.select(1, 1).select(1, 0).copy_(rows.values.select(1, 1));
  added.select(1, 2).select(1, 1).copy_(rows.values.select(1, 2) - 0.5);
  added.select(1, 2).select(1, 0).copy_(0.5 - rows.values.select(1, 2));
  PartPredictions predictions{.linear = linear, .parts = {}};
  for (torch::Tensor& part : predictions.parts) {
    const torch::Tensor noise = 0.1 * torch::randn({500, 3, 1});
    part = linear + torch::cat({noise, -noise}, 2);
  }
  predictions.parts[finder] = linear + 0.9 * added;
  return {rows, predictions};
}

PartGains Choose(const Drawn& drawn) {
  PartGains gains = torch::zeros({kModelParts, 3});
  for (const ModelPart part : {kTrees, kGaussianProcesses, kNetworks}) {
    ChooseGains(part, drawn.predictions, drawn.rows, kNumberAndClass, kTargets, gains);
  }
  return gains;
}

TEST(PartGains, ThePartThatHelpsIsTaken) {
  for (const ModelPart finder : {kTrees, kGaussianProcesses, kNetworks}) {
    const Drawn drawn = Draw(finder);
    const PartGains gains = Choose(drawn);
    for (const int64_t target : {1, 2}) {
      EXPECT_GE(gains[finder][target].item<double>(), 0.8) << finder;
      for (int64_t later = finder + 1; later < kModelParts; ++later) {
        EXPECT_LE(gains[later][target].item<double>(), 0.4) << finder << " " << later;
      }
    }
    EXPECT_EQ(gains.select(1, 0).abs().sum().item<double>(), 0);
    const torch::Tensor combined = Combine(drawn.predictions, gains);
    EXPECT_TRUE(torch::allclose(combined.select(1, 2).sum(1), torch::ones({500})));
    EXPECT_GE(combined.select(1, 2).min().item<double>(), 0);
    const auto error = [&](const torch::Tensor& predicted) {
      return (predicted.select(1, 1).select(1, 0) - drawn.rows.values.select(1, 1)).square().mean().item<double>();
    };
    EXPECT_LT(error(combined), 0.2 * error(drawn.predictions.linear));
  }
}

TEST(PartGains, AreNamed) {
  const auto named = NamedGains(Choose(Draw(kNetworks)), 1);
  ASSERT_EQ(named.size(), 3u);
  EXPECT_EQ(named[2].first, "networks");
  EXPECT_GE(named[2].second, 0.8);
}

TEST(PartGains, APartThatIsNotPredictedDoesNotCount) {
  Drawn drawn = Draw(kTrees);
  const PartGains gains = torch::ones({kModelParts, 3});
  drawn.predictions.parts[kGaussianProcesses] = drawn.predictions.parts[kNetworks] = torch::Tensor();
  EXPECT_TRUE(torch::equal(Combine(drawn.predictions, gains), drawn.predictions.parts[kTrees]));
  const PartPredictions joined = Join({drawn.predictions, drawn.predictions});
  EXPECT_FALSE(joined.parts[kNetworks].defined());
  EXPECT_EQ(joined.parts[kTrees].size(0), 1000);
}

}  // namespace
}  // namespace haplospin
