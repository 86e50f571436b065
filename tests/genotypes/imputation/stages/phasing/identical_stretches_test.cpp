#include "genotypes/imputation/stages/phasing/identical_stretches.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "core/random.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kSamples = 30, kMarkers = 400;

// Samples with random genotypes at markers 0.1 cM apart.
class IdenticalStretchesTest : public testing::Test {
 protected:
  IdenticalStretchesTest() {
    RandomStream random(3);
    for (size_t j = 0; j < kMarkers; ++j) centimorgans_.push_back(0.1 * static_cast<double>(j));
    for (size_t s = 0; s < kSamples; ++s) {
      SampleGenotypes& sample = samples_.emplace_back();
      for (size_t j = 0; j < kMarkers; ++j) {
        for (auto& alleles : sample.alleles) alleles.push_back(random.Bernoulli(0.4) ? 1 : 0);
      }
    }
  }

  // Gives sample b the genotypes of sample a at the markers [begin, end), on the other haplotypes.
  void Copy(size_t a, size_t b, size_t begin, size_t end) {
    for (size_t j = begin; j < end; ++j) {
      for (size_t c = 0; c < 2; ++c) samples_[b].alleles[c][j] = samples_[a].alleles[1 - c][j];
    }
  }

  size_t CountAll() const {
    size_t count = 0;
    for (const auto& stretches : FindIdenticalStretches(samples_, centimorgans_)) count += stretches.size();
    return count;
  }

  std::vector<double> centimorgans_;
  std::vector<SampleGenotypes> samples_;
};

TEST_F(IdenticalStretchesTest, ChanceMakesNone) { EXPECT_EQ(CountAll(), 0); }

// Around the stretch, genotypes may be the same by chance.
TEST_F(IdenticalStretchesTest, FindsBothSamplesOfAStretch) {
  for (const auto& [begin, end] : {std::pair<size_t, size_t>{0, 64}, {70, 250}, {333, kMarkers}}) {
    Copy(4, 9, begin, end);
    const auto stretches = FindIdenticalStretches(samples_, centimorgans_);
    for (const auto& [sample, other] : {std::pair<size_t, size_t>{4, 9}, {9, 4}}) {
      ASSERT_FALSE(stretches[sample].empty());
      const IdenticalStretch& last = stretches[sample].back();
      EXPECT_EQ(last.sample, other);
      EXPECT_LE(last.begin, begin);
      EXPECT_GE(last.end, end);
      EXPECT_LT(last.end - last.begin, end - begin + 20);
    }
  }
}

TEST_F(IdenticalStretchesTest, ThoseLeftOutAreNoOthers) {
  Copy(4, 9, 70, 250);
  std::vector<bool> is_left_out(kSamples);
  is_left_out[9] = true;
  const auto stretches = FindIdenticalStretches(samples_, centimorgans_, is_left_out);
  EXPECT_TRUE(stretches[4].empty());
  EXPECT_EQ(stretches[9].size(), 1);
}

TEST_F(IdenticalStretchesTest, MissingGenotypesAreNoEvidence) {
  Copy(4, 9, 0, 100);
  ASSERT_EQ(CountAll(), 2);
  for (size_t j = 0; j < 100; ++j) {
    if (j % 10 == 0) continue;
    for (auto& alleles : samples_[4].alleles) alleles[j] = kMissingAllele;
  }
  EXPECT_EQ(CountAll(), 0);
}

TEST_F(IdenticalStretchesTest, ADifferenceEndsAStretch) {
  Copy(4, 9, 0, 200);
  for (size_t c = 0; c < 2; ++c) {
    samples_[4].alleles[c][100] = 0;
    samples_[9].alleles[c][100] = 1;
  }
  EXPECT_EQ(FindIdenticalStretches(samples_, centimorgans_)[4].size(), 2);
}

// Inbred lines have no phase, and haploid samples neither.
TEST_F(IdenticalStretchesTest, StretchesHaveHeterozygotes) {
  Copy(4, 9, 0, 200);
  for (const size_t s : {4, 9}) samples_[s].alleles[1] = samples_[s].alleles[0];
  EXPECT_EQ(CountAll(), 0);
  for (const size_t s : {4, 9}) {
    samples_[s].ploidy = 1;
    samples_[s].alleles[1].assign(kMarkers, kMissingAllele);
  }
  EXPECT_EQ(CountAll(), 0);
}

// Linked markers of people are shared by many.
TEST_F(IdenticalStretchesTest, ShortStretchesAreLeftOut) {
  Copy(4, 9, 0, 200);
  for (double& cm : centimorgans_) cm *= 0.01;
  EXPECT_EQ(CountAll(), 0);
}

}  // namespace
}  // namespace haplospin
