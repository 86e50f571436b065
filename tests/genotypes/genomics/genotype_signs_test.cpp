#include "genotypes/genomics/sites/genotype_signs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/random.h"
#include "genotypes/genomics/mutable_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr size_t kSites = 400, kPanel = 300, kStudy = 120;  // haplotypes

// Haplotypes of five founders that change every 100 sites; the shares of the founders are those of a population.
std::vector<std::vector<uint8_t>> Haplotypes(RandomStream& random, size_t count, const std::vector<double>& shares) {
  std::vector<std::vector<uint8_t>> alleles(kSites, std::vector<uint8_t>(count));
  for (size_t h = 0; h < count; ++h) {
    size_t founder = 0;
    for (size_t m = 0; m < kSites; ++m) {
      if (m % 100 == 0) {
        double rest = random.Uniform();
        for (founder = 0; founder + 1 < shares.size() && rest > shares[founder]; ++founder) rest -= shares[founder];
      }
      alleles[m][h] = founder == m % shares.size() ? 1 : 0;
    }
  }
  return alleles;
}

GenotypeSigns SignsOf(const std::vector<double>& panel_shares, const std::vector<double>& study_shares,
                      const std::function<bool(size_t)>& is_inverted) {
  RandomStream random(1);
  const auto of_panel = Haplotypes(random, kPanel, panel_shares), of_study = Haplotypes(random, kStudy, study_shares);
  MutablePanel panel("20", SampleTable::Diploid(std::vector<std::string>(kPanel / 2, "P")));
  const SampleTable samples = SampleTable::Diploid(std::vector<std::string>(kStudy / 2, "S"));
  GenotypeSigns signs;
  for (size_t m = 0; m < kSites; ++m) {
    std::vector<uint64_t> bits((kPanel + 63) / 64);
    for (size_t h = 0; h < kPanel; ++h) bits[h / 64] |= uint64_t{of_panel[m][h]} << h % 64;
    panel.Append({static_cast<int64_t>(1000 * m), ".", "A", "C"}, bits.data());
    std::vector<uint8_t> alleles = of_study[m];
    if (is_inverted(m)) std::ranges::transform(alleles, alleles.begin(), [](uint8_t a) { return uint8_t(1 - a); });
    signs.Add(samples, alleles, &panel, m);
  }
  return signs;
}

const std::vector<double> kEven{0.2, 0.2, 0.2, 0.2, 0.2};

TEST(GenotypeSigns, TellsThatAPartIsInverted) {
  for (const size_t every : {10u, 5u, 3u, 2u}) {
    const GenotypeSigns signs = SignsOf(kEven, kEven, [&](size_t m) { return m / 3 % every == 0; });
    EXPECT_TRUE(signs.ArePartlyInverted()) << every;
    EXPECT_THAT(signs.Obstacle(), HasSubstr("inverted at some sites"));
  }
  EXPECT_TRUE(SignsOf(kEven, kEven, [](size_t m) { return m % 10 < 6; }).ArePartlyInverted());
  const GenotypeSigns all = SignsOf(kEven, kEven, [](size_t) { return true; });
  EXPECT_FALSE(all.ArePartlyInverted());
  EXPECT_TRUE(all.AreInverted());
}

// A fifth of the sites and more have the other common allele there, but the same linkage.
TEST(GenotypeSigns, AnotherPopulationIsNotInverted) {
  const GenotypeSigns signs =
      SignsOf({0.75, 0.07, 0.06, 0.06, 0.06}, {0.06, 0.75, 0.07, 0.06, 0.06}, [](size_t) { return false; });
  EXPECT_FALSE(signs.ArePartlyInverted());
  EXPECT_EQ(signs.Obstacle(), "");
}

}  // namespace
}  // namespace haplospin
