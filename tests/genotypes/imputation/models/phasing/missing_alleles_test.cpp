#include "genotypes/imputation/models/phasing/missing_alleles.h"

#include <gtest/gtest.h>

#include <utility>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A heterozygote at marker 0 and a missing genotype at marker 1.
SampleGenotypes HetAndMissing(bool alt_is_first) {
  SampleGenotypes sample;
  sample.alleles[alt_is_first ? 0 : 1] = {1, kMissingAllele};
  sample.alleles[alt_is_first ? 1 : 0] = {0, kMissingAllele};
  sample.hets = {0};
  sample.missing = {1};
  return sample;
}

std::pair<float, float> Average(const std::vector<std::pair<float, float>>& with_alt_and_without, bool alt_is_first) {
  MissingAlleles missing;
  for (size_t k = 0; k < with_alt_and_without.size(); ++k) {
    const auto [with_alt, without] = with_alt_and_without[k];
    const bool is_first = k % 2 == 0;  // the labels of the haplotypes differ between draws
    const float first[] = {is_first ? with_alt : without}, second[] = {is_first ? without : with_alt};
    const float both[] = {with_alt * without};
    missing.Add(HetAndMissing(is_first), first, second, both);
  }
  const auto probability = missing.Probabilities(HetAndMissing(alt_is_first));
  return {probability[0][0], probability[1][0]};
}

TEST(MissingAllelesTest, FollowsTheHaplotypeWithAltAtTheHeterozygote) {
  for (const bool alt_is_first : {true, false}) {
    auto [first, second] = Average({{0.9f, 0.2f}, {0.9f, 0.2f}, {0.9f, 0.2f}}, alt_is_first);
    if (!alt_is_first) std::swap(first, second);
    EXPECT_NEAR(first, 0.9f, 1e-5);
    EXPECT_NEAR(second, 0.2f, 1e-5);
  }
}

TEST(MissingAllelesTest, AHeterozygoteOfUnknownPhaseIsOne) {
  const auto [first, second] = Average({{1, 0}, {0, 1}, {1, 0}, {1, 0}}, true);
  EXPECT_NEAR(first, 1, 1e-5);
  EXPECT_NEAR(second, 0, 1e-5);
}

// No independent haplotypes have the genotype probabilities 0.5, 0 and 0.5.
TEST(MissingAllelesTest, KeepsTheDosage) {
  const auto [first, second] = Average({{1, 1}, {0, 0}}, true);
  EXPECT_NEAR(first, 0.5f, 1e-5);
  EXPECT_NEAR(second, 0.5f, 1e-5);
}

TEST(MissingAllelesTest, SomeCountMoreThanOthers) {
  const SampleGenotypes sample = HetAndMissing(true);
  MissingAlleles missing;
  missing.Add(sample, std::vector{0.9f}, std::vector{0.3f}, std::vector{0.27f});
  missing.Add(sample, std::vector{0.5f}, std::vector{0.5f}, std::vector{0.25f}, 3);
  const auto probability = missing.Probabilities(sample);
  EXPECT_NEAR(probability[0][0] + probability[1][0], (1.2f + 3 * 1.0f) / 4, 1e-5);
  EXPECT_NEAR(probability[0][0] * probability[1][0], (0.27f + 3 * 0.25f) / 4, 1e-5);
}

// The second haplotype does not exist, whatever the sampler finds for it.
TEST(MissingAllelesTest, AHaploidSampleHasTheMean) {
  SampleGenotypes sample{.ploidy = 1};
  sample.alleles = {std::vector<uint8_t>{kMissingAllele}, std::vector<uint8_t>{kMissingAllele}};
  sample.missing = {0};
  MissingAlleles missing;
  for (const float p : {0.2f, 0.6f}) missing.Add(sample, std::vector{p}, std::vector{p}, std::vector{p * p});
  EXPECT_NEAR(missing.Probabilities(sample)[0][0], 0.4f, 1e-5);
}

}  // namespace
}  // namespace haplospin
