#include "genotypes/imputation/models/pedigree/family_draw.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace haplospin {
namespace {

constexpr std::array kPlaces{0.0, 10.0};  // cM of two markers

// A founder whose haplotypes are known at both markers.
FamilyMember Founder(const std::array<std::vector<float>, 2>& alt) {
  FamilyMember founder{.parents = {}, .alt = alt, .switch_error = {0, 0.01f}};
  for (size_t j = 0; j < kPlaces.size(); ++j) {
    founder.genotype.push_back(static_cast<uint8_t>(std::lround(alt[0][j] + alt[1][j])));
  }
  return founder;
}

FamilyMember Child(size_t father, size_t mother, std::vector<uint8_t> genotype) {
  return {.parents = {father, mother}, .genotype = std::move(genotype)};
}

// The father is heterozygous at both markers, the mother has no ALT.
std::vector<FamilyMember> Trio(const std::vector<uint8_t>& child) {
  return {Founder({{{0, 0}, {1, 1}}}), Founder({{{0, 0}, {0, 0}}}), Child(0, 1, child)};
}

TEST(FamilyDraw, AChildTellsWhichHaplotypeItInherited) {
  const std::vector<FamilyMember> members = Trio({1, 0});
  const FamilyDraw draw(members, kPlaces);
  for (size_t mother = 0; mother < 2; ++mother) {
    const InheritedStates with_alt = draw.Emission(2, 0), without = draw.Emission(2, 1);
    EXPECT_GT(with_alt[1 + 2 * mother], 0.99f);
    EXPECT_LT(with_alt[0 + 2 * mother], 0.01f);
    EXPECT_GT(without[0 + 2 * mother], 0.99f);
    EXPECT_LT(without[1 + 2 * mother], 0.01f);
  }
  const InheritedStates taken =
      draw.Emission(2, 0, {.sides = 1, .genotype = 1});  // ALT on the father's first haplotype
  EXPECT_GT(taken[0], 0.99f);
  EXPECT_LT(taken[1], 0.01f);
}

TEST(FamilyDraw, AnUnknownGenotypeTellsNothing) {
  const std::vector<FamilyMember> members = Trio({kUnknownGenotype, kUnknownGenotype});
  const FamilyDraw draw(members, kPlaces);
  EXPECT_EQ(draw.Emission(2, 0), (InheritedStates{1, 1, 1, 1}));
  EXPECT_FALSE(draw.IsInformative(2, 0));
  EXPECT_EQ(draw.Weights(2, 0), (OrderedGenotypes{1, 1, 1, 1}));
}

// A father without genotypes, of whom the child has inherited the second haplotype.
TEST(FamilyDraw, AChildIsEvidenceOfItsParents) {
  std::vector<FamilyMember> members = Trio({1, 0});
  members[0].genotype.assign(2, kUnknownGenotype);
  FamilyDraw draw(members, kPlaces);
  draw.SetState(2, 0, 1);
  draw.SetState(2, 1, 1);
  draw.UpdateEvidence(0);
  OrderedGenotypes at_alt = draw.Weights(0, 0), at_ref = draw.Weights(0, 1);
  Normalize(at_alt);
  Normalize(at_ref);
  for (size_t g = 0; g < 4; ++g) {
    EXPECT_NEAR(at_alt[g], SecondAllele(g) == 1 ? 0.5f : 0, 0.01f) << g;
    EXPECT_NEAR(at_ref[g], SecondAllele(g) == 0 ? 0.5f : 0, 0.01f) << g;
  }
  EXPECT_TRUE(draw.IsInformative(0, 0));
}

// What a grandchild tells goes through its parent.
TEST(FamilyDraw, EvidenceIsThatOfDescendants) {
  std::vector<FamilyMember> members = Trio({kUnknownGenotype, kUnknownGenotype});
  members.push_back(Founder({{{0, 0}, {0, 0}}}));
  members.push_back(Child(2, 3, {1, 0}));
  FamilyDraw draw(members, kPlaces);
  draw.UpdateEvidence(2);  // the grandchild has the haplotype that its parent has from the father
  const InheritedStates emission = draw.Emission(2, 0);
  EXPECT_GT(emission[1], 50 * emission[0]);
}

TEST(FamilyDraw, TheOtherAlleleOfAParentWithOneHaplotypeIsAsInItsCopyingModel) {
  std::vector<FamilyMember> members = Trio({1, 0});
  members[1].genotype.assign(2, kUnknownGenotype);
  members[1].alt.fill({0.25f, 0.25f});
  members[1].has_one_haplotype = true;
  const FamilyDraw draw(members, kPlaces);
  const InheritedStates emission = draw.Emission(2, 0);
  EXPECT_EQ(emission[0], emission[2]);
  EXPECT_EQ(emission[1], emission[3]);
  EXPECT_NEAR(emission[0], 0.25f, 0.01f);  // ALT is the mother's
  EXPECT_NEAR(emission[1], 0.75f, 0.01f);  // the father's, so that the mother's is REF
}

// Haldane's map function: 10 cM are 0.5 (1 - exp(-0.2)).
TEST(FamilyDraw, StatesMoveByRecombination) {
  const std::vector<FamilyMember> members = Trio({1, 0});
  const FamilyDraw draw(members, kPlaces);
  const float t = static_cast<float>(0.5 * (1 - std::exp(-0.2)));
  const InheritedStates moved = draw.Moved(1, {1, 0, 0, 0});
  EXPECT_NEAR(moved[0], (1 - t) * (1 - t), 1e-6f);
  EXPECT_NEAR(moved[1], t * (1 - t), 1e-6f);
  EXPECT_NEAR(moved[2], t * (1 - t), 1e-6f);
  EXPECT_NEAR(moved[3], t * t, 1e-6f);
}

}  // namespace
}  // namespace haplospin
