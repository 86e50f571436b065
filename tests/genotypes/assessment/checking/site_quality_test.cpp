#include "genotypes/assessment/checking/site_quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

// Of a number of heterozygotes, given the number of minor alleles: the closed form, up to a factor.
double Weight(size_t genotypes, size_t minor, size_t het) {
  const auto log_factorial = [](size_t n) { return std::lgamma(static_cast<double>(n) + 1); };
  const size_t homozygotes = (minor - het) / 2;
  return std::exp(static_cast<double>(het) * std::log(2.0) - log_factorial(het) - log_factorial(homozygotes) -
                  log_factorial(genotypes - het - homozygotes));
}

TEST(ExcessHeterozygosity, IsTheClosedFormForAllCounts) {
  for (const size_t genotypes : {1, 2, 7, 30}) {
    for (size_t alt = 0; alt <= genotypes; ++alt) {
      for (size_t het = 0; alt + het <= genotypes; ++het) {
        const size_t ref = genotypes - alt - het, minor = 2 * std::min(ref, alt) + het;
        double total = 0, at_least = 0;
        for (size_t h = minor % 2; h <= minor; h += 2) {
          total += Weight(genotypes, minor, h);
          if (h >= het) at_least += Weight(genotypes, minor, h);
        }
        ASSERT_NEAR(ExcessHeterozygosity({ref, het, alt}), at_least / total, 1e-12) << ref << " " << het << " " << alt;
      }
    }
  }
}

TEST(ExcessHeterozygosity, IsFiniteForManyPeople) {
  EXPECT_EQ(ExcessHeterozygosity({100000, 0, 0}), 1);
  EXPECT_EQ(ExcessHeterozygosity({0, 100000, 0}), 0);
  EXPECT_NEAR(ExcessHeterozygosity({25000, 50000, 25000}), 0.5, 0.01);
}

TEST(SiteQuality, CountsWhatGenotypesTell) {
  const SampleTable samples = SampleTable::Diploid(std::vector<std::string>(100, "s"));
  const auto alleles = [](size_t alt, size_t missing) {
    std::vector<uint8_t> result(200, 0);
    std::fill_n(result.begin(), alt, 1);
    std::fill_n(result.rbegin(), missing, 2);
    return result;
  };
  SiteQuality quality;
  quality.Add("20", {10, ".", "A", "C"}, samples, alleles(50, 20));
  EXPECT_EQ(quality.monomorphic + quality.rare + quality.often_missing + quality.heterozygous, 0u);
  quality.Add("20", {20, ".", "A", "T"}, samples, alleles(1, 21));
  EXPECT_EQ(quality.strand_ambiguous, 1u);
  EXPECT_EQ(quality.rare, 1u);
  EXPECT_EQ(quality.often_missing, 1u);
  quality.Add("20", {30, ".", "A", "."}, samples, alleles(0, 0));
  EXPECT_EQ(quality.without_alt, 1u);
  EXPECT_EQ(quality.monomorphic, 0u);
  quality.Add("20", {40, ".", "A", "G"}, samples, alleles(200, 0));
  EXPECT_EQ(quality.monomorphic, 1u);
  std::vector<uint8_t> het(200, 0);
  for (size_t h = 0; h < het.size(); h += 2) het[h] = 1;
  quality.Add("20", {50, ".", "A", "G"}, samples, het);
  quality.Add("20", {60, ".", "A", "G"}, samples, het);
  EXPECT_EQ(quality.heterozygous, 2u);
  EXPECT_EQ(quality.first_heterozygous, "20:50 A>G");
}

// Haploid samples have no heterozygotes.
TEST(SiteQuality, HaploidSamplesAreNotTested) {
  SampleTable samples{.names = std::vector<std::string>(200, "s"), .first_haplotype = {}};
  for (uint32_t h = 0; h <= 200; ++h) samples.first_haplotype.push_back(h);
  std::vector<uint8_t> alleles(200, 0);
  for (size_t h = 0; h < alleles.size(); h += 2) alleles[h] = 1;
  SiteQuality quality;
  quality.Add("X", {50, ".", "A", "G"}, samples, alleles);
  EXPECT_EQ(quality.heterozygous, 0u);
}

}  // namespace
}  // namespace haplospin
