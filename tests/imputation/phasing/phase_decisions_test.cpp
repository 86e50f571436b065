#include "imputation/phasing/phase_decisions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace haplospin {
namespace {

constexpr size_t kTyped = 400;
constexpr float kSwitching = 0.005f;  // between typed markers: 0.5 switches in 100

// Of a sample that is heterozygous at all typed markers.
SampleTargets With(const std::vector<PhaseDecision>& decisions) {
  PhaseVersion version;
  version.haplotypes.emplace_back(std::vector<uint8_t>(kTyped, 0));
  version.haplotypes.emplace_back(std::vector<uint8_t>(kTyped, 1));
  SampleTargets sample{.versions = {std::move(version)}};
  SetVersions(decisions, std::vector<float>(kTyped - 1, kSwitching), sample);
  return sample;
}

// Whether the first haplotype of a version has the alleles of the second given one.
bool IsExchanged(const PhaseVersion& version, size_t j) { return version.haplotypes[0].alleles[j] == 1; }

TEST(PhaseDecisions, WithoutDoubtThereIsOneVersion) {
  const SampleTargets sample = With({{100, 9}, {200, -9}, {300, 5}});
  ASSERT_EQ(sample.versions.size(), 1u);
  EXPECT_TRUE(sample.versions[0].weight.empty());
  EXPECT_TRUE(sample.IsCorrected());
  for (size_t j = 0; j < kTyped; ++j) {
    EXPECT_EQ(IsExchanged(sample.versions[0], j), 100 <= j && j < 300) << j;
    EXPECT_EQ(sample.versions[0].swapped[j], 100 <= j && j < 300) << j;
    EXPECT_EQ(sample.output()[0].alleles[j], 0);
  }
}

TEST(PhaseDecisions, NoErrorLeavesTheSampleAsItIs) {
  for (const SampleTargets& sample : {With({}), With({{100, -9}})}) {
    EXPECT_EQ(sample.versions.size(), 1u);
    EXPECT_FALSE(sample.IsCorrected());
    EXPECT_TRUE(sample.versions[0].swapped.empty());
    EXPECT_FALSE(IsExchanged(sample.versions[0], kTyped - 1));
  }
}

// An error without doubt at 50, one with doubt at 100, and maybe one at 300.
TEST(PhaseDecisions, TheOppositeDecisionsHaveWeightAroundTheDoubts) {
  const SampleTargets sample = With({{50, 8}, {100, 1}, {300, -1.5}});
  ASSERT_EQ(sample.versions.size(), 2u);
  EXPECT_TRUE(sample.HasGivenPhase());
  const auto& [decided, opposite] = std::pair(sample.versions[0], sample.versions[1]);
  for (size_t j = 0; j < kTyped; ++j) {
    EXPECT_EQ(IsExchanged(decided, j), 50 <= j && j < 100) << j;
    EXPECT_EQ(IsExchanged(opposite, j), 50 <= j && j < 300) << j;
    EXPECT_EQ(decided.swapped[j], IsExchanged(decided, j)) << j;
    EXPECT_EQ(opposite.swapped[j], IsExchanged(opposite, j)) << j;
  }
  for (size_t i = 0; i < kTyped + 1; ++i) EXPECT_FLOAT_EQ(decided.weight[i] + opposite.weight[i], 1) << i;
  EXPECT_NEAR(opposite.weight[100], 1 / (1 + std::exp(0.5)), 1e-6);
  EXPECT_NEAR(opposite.weight[300], 1 / (1 + std::exp(0.75)), 1e-6);
  EXPECT_EQ(opposite.weight[190], opposite.weight[100]);
  EXPECT_EQ(opposite.weight[210], opposite.weight[300]);
  EXPECT_EQ(opposite.weight[399], opposite.weight[300]);
}

TEST(PhaseDecisions, ADoubtReachesHalfASwitch) {
  const SampleTargets sample = With({{200, -1}});
  ASSERT_EQ(sample.versions.size(), 2u);
  EXPECT_FALSE(sample.IsCorrected());
  for (size_t i = 0; i < kTyped + 1; ++i) {
    if (i == 100 || i == 300) continue;  // at its end
    EXPECT_EQ(sample.versions[1].weight[i] > 0, 100 < i && i < 300) << i;
  }
}

TEST(PhaseDecisions, OfCloseDoubtsTheLargestIsKept) {
  const SampleTargets sample = With({{100, -1.5}, {120, 0.5}, {300, 1.9}});
  ASSERT_EQ(sample.versions.size(), 2u);
  for (size_t j = 0; j < kTyped; ++j) {
    EXPECT_EQ(IsExchanged(sample.versions[0], j), 120 <= j && j < 300) << j;
    EXPECT_FALSE(IsExchanged(sample.versions[1], j)) << j;
  }
}

}  // namespace
}  // namespace haplospin
