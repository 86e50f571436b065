#include "genotypes/imputation/stages/phasing/marker_facts.h"

#include <gtest/gtest.h>

#include "genotypes/imputation/stages/phasing/unphased_cohort.h"

namespace haplospin {
namespace {

constexpr size_t kCohort = 20, kMarkers = 50;

class MarkerFactsTest : public testing::Test {
 protected:
  MarkerFacts Measure(const WindowStudy& study, bool imputes_missing = true) const {
    return MeasureMarkers(cohort_.window(), study, {{0, kCohort}, cohort_.Everyone()}, imputes_missing);
  }

  UnphasedCohort cohort_{kCohort, {.haplotypes = 2 * kCohort, .markers = kMarkers}};
};

TEST_F(MarkerFactsTest, TheGapIsTheMeanDistance) {
  const std::vector<double> cm = TypedCentimorgans(cohort_.window());
  ASSERT_EQ(cm.size(), kMarkers);
  EXPECT_NEAR(Measure(cohort_.study()).gap * (kMarkers - 1), cm.back() - cm.front(), 1e-9);
}

TEST_F(MarkerFactsTest, FewerThanTwoMarkersHaveNoGap) {
  EXPECT_EQ(MeanGap(cohort_.window(), {}), 0);
  EXPECT_EQ(MeanGap(cohort_.window(), std::vector<uint32_t>{3}), 0);
  EXPECT_GT(MeanGap(cohort_.window(), std::vector<uint32_t>{3, 4}), 0);
}

TEST_F(MarkerFactsTest, MissingAllelesAreCountedWhereTheyAreImputed) {
  EXPECT_EQ(Measure(cohort_.study()).missing_share, 0);
  EXPECT_FALSE(Measure(cohort_.study()).has_imputed_alleles);
  for (size_t j = 0; j < kMarkers; j += 2) cohort_.SetMissing(j, 3);
  const MarkerFacts facts = Measure(cohort_.study());
  EXPECT_NEAR(facts.missing_share, 0.5 / kCohort, 1e-9);
  EXPECT_TRUE(facts.has_imputed_alleles);
  EXPECT_FALSE(Measure(cohort_.study(), /*imputes_missing=*/false).has_imputed_alleles);
}

TEST_F(MarkerFactsTest, GenotypesWithLikelihoodsAreImputedButNotMissing) {
  cohort_.SetMissing(0, 3);
  cohort_.SetMissing(0, 4);
  std::vector<GenotypeLikelihoods> likelihoods(kCohort);
  likelihoods[3] = {{0, 9, 69}};
  cohort_.SetLikelihoods(0, std::move(likelihoods));
  const MarkerFacts facts = Measure(cohort_.study());
  EXPECT_NEAR(facts.missing_share, 1.0 / (kCohort * kMarkers), 1e-9);
  EXPECT_TRUE(facts.has_imputed_alleles);
}

}  // namespace
}  // namespace haplospin
