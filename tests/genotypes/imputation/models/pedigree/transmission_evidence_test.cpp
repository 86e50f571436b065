#include "genotypes/imputation/models/pedigree/transmission_evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "genotypes/imputation/models/pedigree/gene_drop.h"

namespace haplospin {
namespace {

// One marker at which the child is homozygous: shared with a probability of 3/4, otherwise lacking at q^2.
TEST(TransmissionEvidenceTest, IsThatOfOneMarkerInClosedForm) {
  constexpr double kError = 0.01, kAlt = 0.4;
  const std::vector<std::vector<uint8_t>> genotypes{{0, 0, 2}};
  const SpacedGenotypes spaced({{0, 0, kAlt}}, genotypes, 3);
  const TransmissionEvidence evidence(spaced, kError, 0);
  const double lacking = kAlt * kAlt;
  EXPECT_NEAR(evidence.Parent(0, 1, 1), -std::log(0.75 + 0.25 * (1 - lacking) / (1 - kError)), 1e-12);
  EXPECT_NEAR(evidence.Parent(0, 2, 1), -std::log(0.75 + 0.25 * lacking / kError), 1e-12);
  EXPECT_NEAR(evidence.SecondParent(0, 2, 1, 1), -std::log(0.5 + 0.5 * lacking / kError), 1e-12);
}

// Far from each other, markers are independent; on one place, the state is the same.
TEST(TransmissionEvidenceTest, FollowsTheGeneticMap) {
  constexpr double kError = 0.01;
  const std::vector<std::vector<uint8_t>> genotypes{{0, 0}, {0, 0}};
  const double single =
      TransmissionEvidence(SpacedGenotypes({{0, 0, 0.5}}, std::vector(1, genotypes[0]), 2), kError, 0).Parent(0, 1, 1);
  const SpacedGenotypes near({{0, 0, 0.5}, {0, 0, 0.5}}, genotypes, 2), far({{0, 0, 0.5}, {0, 1e6, 0.5}}, genotypes, 2),
      apart({{0, 0, 0.5}, {1, 0, 0.5}}, genotypes, 2);
  const double ratio = 0.75 / (1 - kError);
  EXPECT_NEAR(TransmissionEvidence(near, kError, 0).Parent(0, 1, 1), -std::log(0.75 + 0.25 * ratio * ratio), 1e-12);
  EXPECT_NEAR(TransmissionEvidence(far, kError, 0).Parent(0, 1, 1), 2 * single, 1e-12);
  EXPECT_NEAR(TransmissionEvidence(apart, kError, 0).Parent(0, 1, 1), 2 * single, 1e-12);
}

TEST(TransmissionEvidenceTest, TellsParentsFromOtherRelatives) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    GeneDrop drop(15, 400, seed);
    const size_t grandsire = drop.AddFounder(), granddam = drop.AddFounder(), dam = drop.AddFounder();
    const size_t sire = drop.AddChild(grandsire, granddam), uncle = drop.AddChild(grandsire, granddam);
    const size_t child = drop.AddChild(sire, dam), sib = drop.AddChild(sire, dam);
    const SpacedGenotypes genotypes = drop.Genotypes({grandsire, granddam, dam, sire, uncle, child, sib});
    const TransmissionEvidence evidence(genotypes, 0.002, 0);
    EXPECT_GT(evidence.Parent(child, sire, 1), 10) << seed;
    EXPECT_GT(evidence.SecondParent(child, sire, dam, 1), 10) << seed;
    for (const size_t other : {grandsire, uncle, sib}) {
      EXPECT_LT(evidence.Parent(child, other, 1), -10) << seed;
      EXPECT_LT(evidence.SecondParent(child, other, dam, 1), -10) << seed;
    }
    EXPECT_GT(evidence.Gain(child, sire), 0.02);
    EXPECT_LE(evidence.SecondParentErrors(child, sire, dam).errors, 20u);
  }
}

TEST(TransmissionEvidenceTest, ParentsWhoAreHeterozygousEverywhereTellNothing) {
  const std::vector<std::vector<uint8_t>> genotypes{{0, 1, 1}, {1, 1, 1}, {2, 1, 1}};
  const SpacedGenotypes spaced({{0, 0, 0.5}, {0, 1, 0.5}, {0, 2, 0.5}}, genotypes, 3);
  const TransmissionEvidence evidence(spaced, 0.01, 0);
  EXPECT_NEAR(evidence.Gain(0, 1), 0, 1e-12);
  EXPECT_NEAR(evidence.SecondGain(0, 1, 2), 0, 1e-12);
}

}  // namespace
}  // namespace haplospin
