#include "tabular/combining/part_gains.h"

#include <gtest/gtest.h>

#include <string>

namespace haplospin {
namespace {

const Attributes kNumberAndClass = {{0}, {0}, {2}};
const torch::Tensor kTargets = torch::tensor({false, true, true});

struct Drawn {
  EncodedTable rows;
  PartPredictions parts;
};

// One part finds nine tenths of the truth beyond a fit of 0, and the others add noise.
Drawn Draw(torch::Tensor PartPredictions::*finder) {
  torch::manual_seed(1);
  EncodedTable rows{torch::randn({500, 3}), torch::zeros({500, 3}, torch::kBool)};
  rows.values.select(1, 2).copy_((rows.values.select(1, 1) > 0).to(torch::kFloat32));
  torch::Tensor linear = torch::zeros({500, 3, 2}), added = torch::zeros({500, 3, 2});
  linear.select(1, 2).fill_(0.5);
  added.select(1, 1).select(1, 0).copy_(rows.values.select(1, 1));
  added.select(1, 2).select(1, 1).copy_(rows.values.select(1, 2) - 0.5);
  added.select(1, 2).select(1, 0).copy_(0.5 - rows.values.select(1, 2));
  const auto noise = [&] {
    const torch::Tensor drawn = 0.1 * torch::randn({500, 3, 1});
    return torch::cat({drawn, -drawn}, 2);
  };
  PartPredictions parts{linear, linear + noise(), linear + noise(), noise(), linear + noise(), linear + noise()};
  parts.*finder = 0.9 * added + (finder == &PartPredictions::smoothed ? torch::zeros_like(linear) : linear);
  return {rows, parts};
}

PartGains Choose(const Drawn& drawn) {
  PartGains gains(3);
  ChooseFitGains(gains, drawn.parts, drawn.rows, kNumberAndClass, kTargets);
  ChooseGaussianProcessesGains(gains, Combine(drawn.parts, gains, kNumberAndClass), drawn.parts.gaussian_processes,
                               drawn.rows, kNumberAndClass, kTargets);
  ChooseNetworkGains(gains, drawn.parts, drawn.rows, kNumberAndClass, kTargets);
  return gains;
}

torch::Tensor PartPredictions::*const kFinders[] = {&PartPredictions::trees, &PartPredictions::linear_trees,
                                                    &PartPredictions::smoothed, &PartPredictions::gaussian_processes,
                                                    &PartPredictions::network};

TEST(PartGains, ThePartThatHelpsIsTaken) {
  for (const int64_t finder : {0, 1, 2, 3, 4}) {
    const Drawn drawn = Draw(kFinders[finder]);
    const PartGains gains = Choose(drawn);
    for (const int64_t target : {1, 2}) {
      for (const int64_t part : {0, 1, 2, 3, 4}) {
        const auto gain = gains.Stacked()[part][target].item<double>();
        EXPECT_TRUE(part != finder || gain >= 0.8) << part << " " << gain;
        // What the networks find, they find after the others.
        EXPECT_TRUE(part == finder || finder >= 3 || gain <= 0.4) << finder << " " << part << " " << gain;
      }
    }
    EXPECT_EQ(gains.Stacked().select(1, 0).abs().sum().item<double>(), 0);
    const torch::Tensor combined = Combine(drawn.parts, gains, kNumberAndClass);
    EXPECT_TRUE(torch::allclose(combined.select(1, 2).sum(1), torch::ones({500})));
    EXPECT_GE(combined.select(1, 2).min().item<double>(), 0);
    EXPECT_LT(CombinedLoss(combined, drawn.rows, kNumberAndClass, kTargets),
              0.5 * CombinedLoss(drawn.parts.linear, drawn.rows, kNumberAndClass, kTargets));
  }
}

TEST(PartGains, WhatIsNotUsedNeedNotBePredicted) {
  Drawn drawn = Draw(&PartPredictions::trees);
  drawn.parts.gaussian_processes = drawn.parts.network = torch::Tensor();
  PartGains gains(3);
  ChooseFitGains(gains, drawn.parts, drawn.rows, kNumberAndClass, kTargets);
  EXPECT_EQ(Combine(drawn.parts, gains, kNumberAndClass).sizes(), drawn.parts.linear.sizes());
  EXPECT_FALSE(Join({drawn.parts, drawn.parts}).network.defined());
  EXPECT_EQ(Join({drawn.parts, drawn.parts}).trees.size(0), 1000);
}

}  // namespace
}  // namespace haplospin
