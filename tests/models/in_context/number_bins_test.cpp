#include "models/in_context/number_bins.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace haplospin {
namespace {

TEST(NumberBins, SharesHaveTheNumberAsTheirMean) {
  const torch::Tensor numbers = torch::linspace(-9, 9, 181);
  const torch::Tensor shares = BinShares(numbers);
  EXPECT_TRUE(torch::allclose(shares.sum(1), torch::ones({181})));
  EXPECT_TRUE(torch::allclose(BinMean(shares), numbers, 1e-4, 1e-4));
  EXPECT_TRUE(((shares > 0).sum(1) <= 2).all().item<bool>());
}

TEST(NumberBins, NumbersBeyondTheEndsAreInTheOutermostBins) {
  const torch::Tensor shares = BinShares(torch::tensor({-100.0f, 100.0f}));
  EXPECT_EQ(shares[0][0].item<float>(), 1.0f);
  EXPECT_EQ(shares[1][-1].item<float>(), 1.0f);
}

TEST(NumberBins, DeviationAndQuantilesOfANormalDistribution) {
  torch::manual_seed(1);
  const torch::Tensor numbers = torch::randn({20000}) * 0.8 + 0.3;
  const torch::Tensor distribution = BinShares(numbers).mean(0, true);
  EXPECT_NEAR(BinDeviation(distribution).item<double>(), 0.8, 0.03);
  EXPECT_NEAR(BinQuantile(distribution, 0.5).item<double>(), 0.3, 0.05);
  EXPECT_NEAR(BinQuantile(distribution, 0.9).item<double>(), 0.3 + 1.2816 * 0.8, 0.05);
  EXPECT_LT(BinQuantile(distribution, 0.05).item<double>(), BinQuantile(distribution, 0.06).item<double>());
}

}  // namespace
}  // namespace haplospin
