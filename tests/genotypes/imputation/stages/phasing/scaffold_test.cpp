#include "genotypes/imputation/stages/phasing/scaffold.h"

#include <gtest/gtest.h>

#include "genotypes/imputation/stages/phasing/unphased_cohort.h"

namespace haplospin {
namespace {

TEST(ScaffoldTest, HasTheMarkersWithEnoughCopies) {
  const UnphasedCohort cohort(20, {.haplotypes = 40, .markers = 100});
  const auto made = MakeScaffold(cohort.window(), cohort.study(), 4);
  ASSERT_NE(made, nullptr);
  const Scaffold& scaffold = *made;
  ASSERT_GT(scaffold.markers.size(), 20u);
  ASSERT_LT(scaffold.markers.size(), 80u);
  size_t next = 0;
  for (uint32_t j = 0; j < 100; ++j) {
    size_t copies = 0;
    for (size_t h = 0; h < 40; ++h) copies += cohort.Truth(j, h);
    const MinorAllele minor = FindMinorAllele(cohort.study(), j);
    EXPECT_EQ(minor.count, std::min(copies, 40 - copies));
    EXPECT_EQ(minor.allele, copies <= 20 ? 1 : 0);
    if (minor.count < 4) continue;
    ASSERT_EQ(scaffold.markers[next], j);
    EXPECT_EQ(&scaffold.study.row(next), &cohort.study().row(j));
    EXPECT_EQ(scaffold.window.typed_markers()[next++], j);
  }
  EXPECT_EQ(next, scaffold.markers.size());
}

// Where half of the alleles are missing, two copies stand for four.
TEST(ScaffoldTest, CountsTheCopiesThatAreExpected) {
  UnphasedCohort cohort(20, {.haplotypes = 40, .markers = 100});
  for (size_t j = 0; j < 100; ++j) {
    for (size_t s = 0; s < 20; s += 2) cohort.SetMissing(j, s);
  }
  const auto scaffold = MakeScaffold(cohort.window(), cohort.study(), 4);
  ASSERT_NE(scaffold, nullptr);
  size_t expected = 0;
  for (uint32_t j = 0; j < 100; ++j) {
    const MinorAllele minor = FindMinorAllele(cohort.study(), j);
    EXPECT_EQ(minor.observed, 20u);
    if (minor.count >= 2) {
      ASSERT_EQ(scaffold->markers[expected++], j);
    }
    EXPECT_NEAR(AltFrequencies(cohort.study())[j], minor.allele == 1 ? minor.frequency() : 1 - minor.frequency(), 1e-6);
  }
  EXPECT_EQ(scaffold->markers.size(), expected);
}

TEST(ScaffoldTest, IsNoneIfAllMarkersOrNoneAreFrequent) {
  const UnphasedCohort cohort(20, {.haplotypes = 40, .markers = 30});
  EXPECT_EQ(MakeScaffold(cohort.window(), cohort.study(), 21), nullptr);
  EXPECT_EQ(MakeScaffold(cohort.window(), cohort.study(), 0), nullptr);
}

}  // namespace
}  // namespace haplospin
