#include "genotypes/variant_io/joining/panel_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace haplospin {
namespace {

using testing::FloatNear;
using testing::Pointwise;

std::vector<int64_t> Positions(size_t count) {
  std::vector<int64_t> positions;
  for (size_t i = 0; i < count; ++i) positions.push_back(static_cast<int64_t>(1 + 5000 * i));
  return positions;
}

TEST(PanelWeightsTest, SumToOneAndFollowTheOrderOfThePanels) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const size_t sites = 1 + random() % 40, panels = 2 + random() % 3;
    std::vector<float> observed(sites * panels), reversed(observed.size());
    for (float& p : observed) p = static_cast<float>(random() % 1001) / 1000;
    const PanelWeights weights = FindPanelWeights(Positions(sites), panels, observed);
    for (size_t i = 0; i < sites; ++i) {
      for (const auto* values : {&weights.posterior, &weights.left_out}) {
        float sum = 0;
        for (size_t k = 0; k < panels; ++k) sum += (*values)[i * panels + k];
        EXPECT_NEAR(sum, 1, 1e-5);
      }
      for (size_t k = 0; k < panels; ++k) reversed[i * panels + k] = observed[i * panels + panels - 1 - k];
    }
    std::vector<float> mirrored = FindPanelWeights(Positions(sites), panels, reversed).posterior;
    for (size_t i = 0; i < sites; ++i) std::reverse(&mirrored[i * panels], &mirrored[i * panels] + panels);
    EXPECT_THAT(mirrored, Pointwise(FloatNear(1e-4F), weights.posterior));
  }
}

TEST(PanelWeightsTest, FollowThePanelThatPredictsTheAlleles) {
  constexpr size_t kSites = 200;
  std::vector<float> observed;
  for (size_t i = 0; i < kSites; ++i) {
    observed.push_back(i < kSites / 2 ? 0.99F : 0.6F);
    observed.push_back(i < kSites / 2 ? 0.6F : 0.99F);
  }
  const PanelWeights weights = FindPanelWeights(Positions(kSites), 2, observed);
  EXPECT_GT(weights.posterior[2 * 20], 0.95F);
  EXPECT_LT(weights.posterior[2 * 180], 0.05F);
  EXPECT_GT(weights.posterior[2 * 99], weights.posterior[2 * 101]);
}

TEST(PanelWeightsTest, AreEqualWithoutEvidence) {
  const PanelWeights weights = FindPanelWeights(Positions(30), 3, std::vector<float>(90, 1.0F));
  EXPECT_THAT(weights.posterior, testing::Each(FloatNear(1.0F / 3, 1e-4F)));
}

// The own allele moves the posterior probability, and hardly that without it.
TEST(PanelWeightsTest, LeftOutAreWithoutTheOwnAllele) {
  constexpr size_t kSites = 401, kOwn = 200;
  std::vector<float> observed(2 * kSites);
  for (size_t i = 0; i < kSites; ++i) {
    observed[2 * i] = i % 2 == 0 ? 0.9F : 0.5F;
    observed[2 * i + 1] = i % 2 == 0 ? 0.5F : 0.9F;
  }
  observed[2 * kOwn] = observed[2 * kOwn + 1] = 0.8F;
  const float even = FindPanelWeights(Positions(kSites), 2, observed).left_out[2 * kOwn];
  observed[2 * kOwn] = 0.99F;
  observed[2 * kOwn + 1] = 0.01F;
  const PanelWeights skewed = FindPanelWeights(Positions(kSites), 2, observed);
  EXPECT_GT(skewed.posterior[2 * kOwn], 0.9F);
  EXPECT_NEAR(skewed.left_out[2 * kOwn], even, 0.15F);
}

}  // namespace
}  // namespace haplospin
