#include "imputation/copying/leave_one_out.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/random.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/naive_copying.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

class LeaveOneOutTest : public testing::Test {
 protected:
  static constexpr size_t kTyped = 70, kHaplotypes = 90;

  LeaveOneOutTest()
      : panel_(HaploidPanelOf(SimulateMosaic({.haplotypes = kHaplotypes, .markers = kTyped, .rare_share = 0.2}))),
        array_(panel_, All(), GeneticMap::Uniform()) {
    model_.mismatch_probability = 0.005f;
    for (size_t j = 0; j + 1 < kTyped; ++j) {
      model_.switch_probability.push_back(static_cast<float>(0.001 + 0.2 * random_.Uniform()));
    }
  }

  static std::vector<uint32_t> All() {
    std::vector<uint32_t> typed(kTyped);
    std::iota(typed.begin(), typed.end(), 0);
    return typed;
  }

  std::vector<uint8_t> RandomAlleles() {
    std::vector<uint8_t> alleles(kTyped);
    for (uint8_t& allele : alleles) {
      allele = random_.Bernoulli(0.05) ? kMissingAllele : static_cast<uint8_t>(random_.Bernoulli(0.4));
    }
    return alleles;
  }

  std::vector<float> LeftOut(const std::vector<uint8_t>& alleles) {
    CandidateFinder finder;
    CopyCandidates candidates;
    std::vector<float> left_out(kTyped, -1);
    finder.Find(array_, model_, TargetHaplotype(alleles), AllStates(array_), candidates, left_out);
    return left_out;
  }

  // By definition: the marker's allele is taken away, and what is copied there decides.
  double Expected(std::vector<uint8_t> alleles, size_t j) const {
    alleles[j] = kMissingAllele;
    const NaiveCopying naive = ComputeNaiveCopying(array_, model_, TargetHaplotype(alleles));
    double one = 0, all = 0;
    for (size_t h = 0; h < kHaplotypes; ++h) {
      // The forward state past the marker and the backward state before it, which both are at the marker.
      const double p = naive.forward[j + 1][h] * naive.backward[j][h];
      all += p;
      if (array_.haplotype_bits(h)[j / 64] >> (j % 64) & 1) one += p;
    }
    return one / all;
  }

  RandomStream random_{3};
  const HaplotypePanel panel_;
  const TypedPanel array_;
  CopyingModel model_;
};

TEST_F(LeaveOneOutTest, AgreesWithTheDefinition) {
  for (int round = 0; round < 3; ++round) {
    const std::vector<uint8_t> alleles = RandomAlleles();
    const std::vector<float> left_out = LeftOut(alleles);
    for (size_t j = 0; j < kTyped; ++j) ASSERT_NEAR(left_out[j], Expected(alleles, j), 1e-4) << j;
  }
}

TEST_F(LeaveOneOutTest, TheMarkersOwnAlleleDoesNotMatter) {
  std::vector<uint8_t> alleles = RandomAlleles();
  const std::vector<float> before = LeftOut(alleles);
  for (const size_t j : {size_t{0}, size_t{31}, size_t{32}, kTyped - 1}) {
    std::vector<uint8_t> changed = alleles;
    changed[j] = changed[j] == 1 ? 0 : 1;
    const std::vector<float> after = LeftOut(changed);
    EXPECT_NEAR(after[j], before[j], 1e-4) << j;
    EXPECT_NE(after[j == 0 ? 1 : j - 1], before[j == 0 ? 1 : j - 1]) << j;  // but its neighbors see it
  }
}

}  // namespace
}  // namespace haplospin
