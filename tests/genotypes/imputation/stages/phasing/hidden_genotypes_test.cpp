#include "genotypes/imputation/stages/phasing/hidden_genotypes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "genotypes/imputation/stages/phasing/unphased_cohort.h"

namespace haplospin {
namespace {

class HiddenGenotypesTest : public testing::Test {
 protected:
  static constexpr size_t kSamples = 1000, kMarkers = 300;

  // Removes most of the genotypes.
  HiddenGenotypesTest() : cohort_(kSamples, {.haplotypes = 2 * kSamples, .markers = kMarkers}), random_(1) {
    for (size_t j = 0; j < kMarkers; ++j) {
      for (size_t s = 0; s < kSamples; ++s) {
        if (random_.Bernoulli(0.7)) cohort_.SetMissing(j, s);
      }
    }
  }

  // Calls visit(j, s) for each genotype that is hidden.
  template <typename Visit>
  void ForEachHidden(const HiddenGenotypes& hidden, const Visit& visit) const {
    for (size_t j = 0; j < kMarkers; ++j) {
      for (size_t s = 0; s < kSamples; ++s) {
        const bool is_missing = cohort_.study().alleles(j)[2 * s] == kMissingAllele;
        const bool is_missing_now = hidden.study().alleles(j)[2 * s] == kMissingAllele;
        EXPECT_TRUE(!is_missing || is_missing_now);
        if (is_missing != is_missing_now) visit(j, s);
      }
    }
  }

  UnphasedCohort cohort_;
  RandomStream random_;
};

TEST_F(HiddenGenotypesTest, AreFewAndGivenBack) {
  const std::vector<size_t> everyone = cohort_.Everyone();
  const HiddenGenotypes hidden(cohort_.study(), everyone, 1);
  std::vector<SampleGenotypes> samples = ReadGenotypes(hidden.study(), everyone, true);
  std::vector<PhasePosterior> draws(kSamples);
  for (size_t k = 0; k < kSamples; ++k) draws[k].alt.fill(std::vector<float>(samples[k].missing.size(), 0.5f));
  size_t count = 0;
  ForEachHidden(hidden, [&](size_t j, size_t s) {
    ++count;
    // ALT is more probable on the second haplotype.
    const size_t place =
        static_cast<size_t>(std::ranges::lower_bound(samples[s].missing, j) - samples[s].missing.begin());
    draws[s].alt[1][place] = 0.6f;
  });
  EXPECT_GE(count, kMarkers);
  EXPECT_LT(count, kSamples * kMarkers / 50);
  hidden.Restore(draws, samples);
  ForEachHidden(hidden, [&](size_t j, size_t s) {
    const uint8_t* given = cohort_.study().alleles(j).data() + 2 * s;
    EXPECT_EQ(samples[s].alleles[0][j], std::min(given[0], given[1])) << j << " " << s;
    EXPECT_EQ(samples[s].alleles[1][j], std::max(given[0], given[1])) << j << " " << s;
  });
}

TEST(FewHiddenGenotypesTest, AreNoneWhereMostAreCalled) {
  UnphasedCohort complete(50, {.haplotypes = 100, .markers = 20});
  complete.SetMissing(3, 4);
  const HiddenGenotypes hidden(complete.study(), complete.Everyone(), 1);
  for (size_t j = 0; j < 20; ++j) EXPECT_EQ(&hidden.study().row(j), &complete.study().row(j));
}

// Probabilities that are less certain than they could be.
TEST_F(HiddenGenotypesTest, TellHowCertainTheImputedAllelesAre) {
  const std::vector<size_t> everyone = cohort_.Everyone();
  const HiddenGenotypes hidden(cohort_.study(), everyone, 1);
  const std::vector<SampleGenotypes> samples = ReadGenotypes(hidden.study(), everyone, true);
  std::vector<uint32_t> markers(kMarkers);
  std::iota(markers.begin(), markers.end(), 0);
  for (const double power : {1.0, 1.7}) {
    std::vector<PhasePosterior> draws(kSamples);
    for (size_t k = 0; k < kSamples; ++k) {
      for (const uint32_t j : samples[k].missing) {
        for (size_t c = 0; c < 2; ++c) {
          const double p = 0.5 + 0.49 * random_.Uniform();
          const bool is_right = random_.Bernoulli(1 / (1 + std::pow((1 - p) / p, power)));
          const bool is_alt = cohort_.Truth(j, 2 * k + c) == 1;
          draws[k].alt[c].push_back(static_cast<float>(is_right == is_alt ? p : 1 - p));
        }
      }
    }
    const double found = hidden.OddsPower(markers, samples, draws);
    EXPECT_NEAR(std::log(found), std::log(power), 0.15) << found;
  }
}

TEST(SharpenOddsTest, RaisesThem) {
  PhasePosterior draws{.alt = {{{0.75f, 0.5f, 0, 1}, {0.25f}}}};
  SharpenOdds(2, draws);
  EXPECT_NEAR(draws.alt[0][0], 0.9, 1e-6);
  EXPECT_NEAR(draws.alt[0][1], 0.5, 1e-6);
  EXPECT_NEAR(draws.alt[0][2], 0, 1e-6);
  EXPECT_NEAR(draws.alt[0][3], 1, 1e-6);
  EXPECT_NEAR(draws.alt[1][0], 0.1, 1e-6);
}

}  // namespace
}  // namespace haplospin
