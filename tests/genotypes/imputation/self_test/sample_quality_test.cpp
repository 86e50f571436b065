#include "genotypes/imputation/self_test/sample_quality.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "core/random.h"
#include "genotypes/genomics/dosage_r2.h"

namespace haplospin {
namespace {

using Haplotypes = std::array<float, 2>;

Haplotypes DrawHaplotypes(RandomStream& random) {
  const auto draw = [&] { return static_cast<float>(std::pow(random.Uniform(), 3)); };
  return {draw(), draw()};
}

int DrawGenotype(const Haplotypes& haplotypes, RandomStream& random) {
  return int{random.Bernoulli(haplotypes[0])} + int{random.Bernoulli(haplotypes[1])};
}

TEST(SampleQualityTest, ExpectationOfAGenotype) {
  const ExpectedGenotype expected = Expect(Haplotypes{0.5, 1});
  EXPECT_DOUBLE_EQ(expected.dosage, 1.5);
  EXPECT_DOUBLE_EQ(expected.variance, 0.25);
}

TEST(SampleQualityTest, EstimatedR2InClosedForm) {
  SampleQuality quality;
  EXPECT_TRUE(std::isnan(quality.EstimatedR2()));
  quality.AddImputed({0.5, 0.25});
  quality.AddImputed({1.5, 0.25});
  EXPECT_DOUBLE_EQ(quality.EstimatedR2(), 0.5);  // variances 0.25 and 0.25
  EXPECT_EQ(quality.num_imputed(), 2u);
  EXPECT_TRUE(std::isnan(quality.TypedR2()));
}

TEST(SampleQualityTest, EstimatesAreRightWhereProbabilitiesAre) {
  RandomStream random(1);
  SampleQuality quality;
  DosageSums truth;
  for (int k = 0; k < 50000; ++k) {
    const Haplotypes haplotypes = DrawHaplotypes(random);
    const ExpectedGenotype expected = Expect(haplotypes);
    const int genotype = DrawGenotype(haplotypes, random);
    quality.AddImputed(expected);
    quality.AddTyped(expected, genotype);
    truth.Add(expected.dosage, genotype);
  }
  EXPECT_NEAR(quality.EstimatedR2(), truth.PooledR2(), 0.01);
  EXPECT_DOUBLE_EQ(quality.TypedR2(), truth.PooledR2());
  EXPECT_NEAR(quality.ErrorRatio(), 1, 0.02);
}

// The two haplotypes of an inbred line are one, of which the genotype has twice the variance of two.
TEST(SampleQualityTest, EqualHaplotypesOfInbredLines) {
  RandomStream random(4);
  SampleQuality quality;
  DosageSums truth;
  for (int k = 0; k < 50000; ++k) {
    const float p = DrawHaplotypes(random)[0];
    const int genotype = random.Bernoulli(p) ? 2 : 0;
    quality.AddImputed(Expect(Haplotypes{p, p}));
    quality.AddTyped(Expect(Haplotypes{p, p}), genotype);
    truth.Add(2 * p, genotype);
  }
  EXPECT_NEAR(quality.EstimatedR2(), truth.PooledR2(), 0.01);
}

TEST(SampleQualityTest, SumsAreThoseOfAllGenotypes) {
  RandomStream random(3);
  SampleQuality parts[2], whole;
  for (int k = 0; k < 100; ++k) {
    const Haplotypes haplotypes = DrawHaplotypes(random);
    const int genotype = DrawGenotype(haplotypes, random);
    for (SampleQuality* quality : {&parts[k % 2], &whole}) {
      quality->AddImputed(Expect(haplotypes));
      quality->AddTyped(Expect(haplotypes), genotype);
    }
  }
  parts[0] += parts[1];
  EXPECT_NEAR(parts[0].EstimatedR2(), whole.EstimatedR2(), 1e-12);
  EXPECT_NEAR(parts[0].TypedR2(), whole.TypedR2(), 1e-12);
  EXPECT_DOUBLE_EQ(parts[0].TypedConcordance(), whole.TypedConcordance());
  EXPECT_NEAR(parts[0].ErrorRatio(), whole.ErrorRatio(), 1e-12);
  EXPECT_EQ(parts[0].num_typed(), 100u);
}

// A share of the genotypes is drawn by the allele frequency instead of the imputed probabilities, as of another person.
TEST(SampleQualityTest, MismatchIsTheShareOfOtherGenotypes) {
  constexpr double kFrequency = 0.3;
  RandomStream random(5);
  for (const double share : {0.0, 0.05, 0.1}) {
    SampleQuality quality;
    for (int k = 0; k < 200'000; ++k) {
      const double certain = random.Bernoulli(kFrequency) ? 0.98 : 0.02;  // probability of ALT on a haploid
      const bool is_alt = random.Bernoulli(random.Bernoulli(share) ? kFrequency : certain);
      quality.AddHeldOut(is_alt ? certain : 1 - certain, is_alt ? kFrequency : 1 - kFrequency);
    }
    EXPECT_NEAR(quality.Mismatch(), share, 0.005 + 0.2 * share);
    EXPECT_EQ(quality.num_held_out(), 200'000u);
  }
}

TEST(SampleQualityTest, WithoutHiddenReadsThereIsNoMismatch) { EXPECT_TRUE(std::isnan(SampleQuality().Mismatch())); }

}  // namespace
}  // namespace haplospin
