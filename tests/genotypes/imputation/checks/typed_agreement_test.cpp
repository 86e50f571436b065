#include "genotypes/imputation/checks/typed_agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kHaplotypes = 200;

// Markers whose left-out probabilities are the alleles but for `noise`.
class TypedAgreementTest : public testing::Test {
 protected:
  std::vector<uint8_t> Alleles(double frequency) {
    std::vector<uint8_t> alleles(kHaplotypes);
    for (uint8_t& allele : alleles) allele = Uniform() < frequency ? 1 : 0;
    return alleles;
  }

  std::vector<float> LeftOut(const std::vector<uint8_t>& alleles, double noise) {
    std::vector<float> left_out;
    for (const uint8_t allele : alleles) {
      left_out.push_back(static_cast<float>((1 - noise) * allele + noise * Uniform()));
    }
    return left_out;
  }

  void AddGood(size_t count, double noise = 0.3) {
    for (size_t m = 0; m < count; ++m) {
      const auto alleles = Alleles(0.3);
      agreement_.Add(static_cast<int64_t>(m + 1), LeftOut(alleles, noise), alleles);
    }
  }

  double Uniform() { return std::uniform_real_distribution<double>()(random_); }

  std::mt19937 random_{5};
  TypedAgreement agreement_;
};

TEST_F(TypedAgreementTest, GenotypesOfOtherSamples) {
  AddGood(30);
  EXPECT_EQ(agreement_.NumContradicted(), 0u);
  agreement_.Add(1000, LeftOut(Alleles(0.3), 0.3), Alleles(0.3));
  agreement_.Add(2000, LeftOut(Alleles(0.4), 0.3), Alleles(0.4));
  EXPECT_EQ(agreement_.compared, 32u);
  EXPECT_EQ(agreement_.NumContradicted(), 2u);
  EXPECT_EQ(agreement_.FirstContradicted(), 1000);
}

// The correlation of two alleles is negative, and the frequencies of rare ones are far apart.
TEST_F(TypedAgreementTest, ExchangedAlleles) {
  AddGood(30);
  for (const double frequency : {0.4, 0.02}) {
    const auto alleles = Alleles(frequency);
    auto exchanged = alleles;
    for (uint8_t& allele : exchanged) allele = 1 - allele;
    agreement_.Add(frequency > 0.3 ? 2000 : 1000, LeftOut(alleles, 0.1), exchanged);
  }
  EXPECT_EQ(agreement_.uncorrelated, 1u);
  EXPECT_EQ(agreement_.elsewhere, 1u);
  EXPECT_EQ(agreement_.FirstContradicted(), 1000);
}

TEST_F(TypedAgreementTest, RareAllelesAndMissingOnesTellNothing) {
  AddGood(30);
  std::vector<uint8_t> rare(kHaplotypes), missing(kHaplotypes, kMissingAllele);
  for (size_t h = 0; h < 5; ++h) rare[h] = 1;
  for (size_t h = 0; h < 30; ++h) missing[h] = h % 2;
  agreement_.Add(1000, std::vector<float>(kHaplotypes, 0.02F), rare);
  agreement_.Add(2000, LeftOut(Alleles(0.5), 0), missing);
  EXPECT_EQ(agreement_.NumContradicted(), 0u);
}

// On a sparse array, no marker tells much of the others.
TEST_F(TypedAgreementTest, MarkersThatTellLittleOfEachOther) {
  AddGood(30, 0.9);
  agreement_.Add(1000, LeftOut(Alleles(0.3), 0.9), Alleles(0.3));
  EXPECT_LT(agreement_.r2, 15);
  EXPECT_EQ(agreement_.NumContradicted(), 0u);
}

TEST_F(TypedAgreementTest, SumsOverWindows) {
  AddGood(15);
  TypedAgreement sum = agreement_;
  agreement_ = {};
  AddGood(15);
  agreement_.Add(3000, LeftOut(Alleles(0.3), 0.3), Alleles(0.3));
  EXPECT_EQ(agreement_.NumContradicted(), 0u) << "of too few markers";
  sum += agreement_;
  EXPECT_EQ(sum.NumContradicted(), 1u);
  EXPECT_EQ(sum.FirstContradicted(), 3000);
}

}  // namespace
}  // namespace haplospin
