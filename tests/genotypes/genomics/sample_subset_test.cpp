#include "genotypes/genomics/sample_subset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(SampleSubset, HasTheHaplotypesOfTheChosenSamplesInTheirOrder) {
  const SampleTable all{{"A", "B", "C", "D"}, {0, 2, 3, 5, 7}};  // B is haploid
  const std::vector<uint32_t> chosen{3, 1, 0};
  const SampleSubset subset(all, chosen);
  EXPECT_THAT(subset.samples().names, ElementsAre("D", "B", "A"));
  EXPECT_THAT(subset.samples().first_haplotype, ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(subset.haplotypes(), ElementsAre(5, 6, 2, 0, 1));
}

TEST(SampleSubset, TakesAllelesFromAnyWord) {
  const std::vector<uint64_t> bits{uint64_t{1} << 63, 0b10};  // haplotypes 63 and 65
  const SampleTable all{{"A", "B", "C"}, {0, 62, 64, 66}};
  const std::vector<uint32_t> chosen{1, 2};
  const SampleSubset subset(all, chosen);
  std::vector<int> alleles;
  for (size_t h = 0; h < subset.num_haplotypes(); ++h) alleles.push_back(subset.Allele(bits, h));
  EXPECT_THAT(alleles, ElementsAre(0, 1, 0, 1));
}

TEST(SampleSubset, TakesTheBitsOfAMarker) {
  SampleTable all;
  std::vector<uint8_t> alleles;
  std::vector<uint32_t> chosen;
  for (uint32_t s = 0; s < 100; ++s) {
    all.Add(std::to_string(s), 2);
    for (uint32_t h = 0; h < 2; ++h) alleles.push_back((s * s + h) % 3 == 0 ? 1 : 0);
    if (s % 4 != 0) chosen.push_back(s);
  }
  HaplotypePanelBuilder builder("20", all);
  builder.AddMarker({100, ".", "A", "C"}, alleles);
  const HaplotypePanel panel = builder.Build();
  const SampleSubset subset(all, chosen);
  const std::vector<uint64_t> bits = subset.Bits(panel, 0);
  ASSERT_EQ(bits.size(), 3u);
  for (size_t h = 0; h < 192; ++h) {
    const bool has_alt = h < 150 && alleles[subset.haplotypes()[h]] == 1;
    EXPECT_EQ((bits[h / 64] >> h % 64 & 1) != 0, has_alt) << h;
  }
}

TEST(SampleSubset, MayBeEmpty) {
  const SampleSubset subset({{"A"}, {0, 2}}, {});
  EXPECT_EQ(subset.samples().num_samples(), 0u);
  EXPECT_THAT(subset.samples().first_haplotype, ElementsAre(0));
}

}  // namespace
}  // namespace haplospin
