#include "genotypes/imputation/stages/phasing/first_haplotypes.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "genotypes/imputation/models/phasing/mosaic_phase.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Mosaics of a few founders, without phase and with missing alleles.
class FirstHaplotypesTest : public testing::Test {
 protected:
  static constexpr size_t kSamples = 100;

  FirstHaplotypesTest() : mosaic_(SimulateMosaic({.haplotypes = 2 * kSamples, .founders = 8, .rare_share = 0})) {
    RandomStream random(7);
    alleles_.assign(mosaic_.markers.size(), std::vector<uint8_t>(2 * kSamples));
    for (size_t j = 0; j < alleles_.size(); ++j) centimorgans_.push_back(0.005 * static_cast<double>(j));
    for (size_t s = 0; s < kSamples; ++s) {
      first_.push_back(static_cast<uint32_t>(2 * s));
      SampleGenotypes& sample = samples_.emplace_back();
      for (uint32_t j = 0; j < alleles_.size(); ++j) Add(s, j, random.Bernoulli(0.2), sample);
    }
  }

  void Add(size_t s, uint32_t j, bool is_missing, SampleGenotypes& sample) {
    const bool is_het = mosaic_.alleles[2 * s][j] != mosaic_.alleles[2 * s + 1][j];
    for (size_t c = 0; c < 2; ++c) {
      const uint8_t known = is_het ? static_cast<uint8_t>(c) : mosaic_.alleles[2 * s][j];
      alleles_[j][2 * s + c] = is_missing ? kMissingAllele : known;
      sample.alleles[c].push_back(alleles_[j][2 * s + c]);
    }
    if (is_missing) sample.missing.push_back(j);
    if (is_het && !is_missing) sample.hets.push_back(j);
  }

  const Mosaic mosaic_;
  std::vector<std::vector<uint8_t>> alleles_;
  std::vector<double> centimorgans_;
  std::vector<uint32_t> first_;
  std::vector<SampleGenotypes> samples_;
};

TEST_F(FirstHaplotypesTest, FindsMostOfPhaseAndMissingAlleles) {
  GuessHaplotypes(alleles_, first_, centimorgans_, samples_);
  size_t errors = 0, hets = 0, wrong = 0, missing = 0;
  for (size_t s = 0; s < kSamples; ++s) {
    const SampleGenotypes& sample = samples_[s];
    std::vector<uint8_t> one, other;
    for (const uint32_t j : sample.hets) {
      one.push_back(mosaic_.alleles[2 * s][j]);
      other.push_back(mosaic_.alleles[2 * s + 1][j]);
    }
    errors += CountSwitchErrors(one, other, [&](size_t h) { return sample.alleles[0][sample.hets[h]]; });
    hets += sample.hets.size();
    missing += sample.missing.size();
    for (size_t k = 0; k < sample.missing.size(); ++k) {
      const uint32_t j = sample.missing[k];
      const int imputed = (sample.imputed[0][k] + sample.imputed[1][k]) / kCertainAlt;
      wrong += imputed != mosaic_.alleles[2 * s][j] + mosaic_.alleles[2 * s + 1][j];
    }
  }
  ASSERT_GT(hets, 5000u);
  EXPECT_LT(errors, hets / 6);
  EXPECT_LT(wrong, missing / 4);
}

TEST_F(FirstHaplotypesTest, KeepsTheGivenPhase) {
  SampleGenotypes& sample = samples_[3];
  for (const uint32_t j : sample.hets) sample.given.push_back(sample.alleles[0][j]);
  const auto given = sample.alleles;
  GuessHaplotypes(alleles_, first_, centimorgans_, samples_);
  EXPECT_EQ(sample.alleles, given);
  EXPECT_EQ(sample.imputed[0].size(), sample.missing.size());
}

}  // namespace
}  // namespace haplospin
