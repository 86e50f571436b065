#include "tabular/number_bins.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace haplospin {
namespace {

TEST(NumberBins, MeanDeviationAndQuantilesOfANormalDistribution) {
  const torch::Tensor density = BinWidths() * (-0.5 * ((BinCenters() - 0.3) / 0.8).square()).exp();
  const torch::Tensor distribution = (density / density.sum()).unsqueeze(0);
  EXPECT_NEAR(BinMean(distribution).item<double>(), 0.3, 0.01);
  EXPECT_NEAR(BinDeviation(distribution).item<double>(), 0.8, 0.03);
  EXPECT_NEAR(BinQuantile(distribution, 0.5).item<double>(), 0.3, 0.05);
  EXPECT_NEAR(BinQuantile(distribution, 0.9).item<double>(), 0.3 + 1.2816 * 0.8, 0.05);
  EXPECT_LT(BinQuantile(distribution, 0.05).item<double>(), BinQuantile(distribution, 0.06).item<double>());
}

}  // namespace
}  // namespace haplospin
