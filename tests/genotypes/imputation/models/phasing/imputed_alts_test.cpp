#include "genotypes/imputation/models/phasing/imputed_alts.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

// Three haplotypes, of which the last two are of one sample with imputed alleles at markers 1 and 66.
TEST(ImputedAltsTest, HaveTheAllelesOfTheOtherHaplotypes) {
  constexpr size_t kMarkers = 70, kWords = 2;
  const std::vector<uint64_t> bits{0b10, 0b1000, 0b10, 0, 0, 0};  // [haplotypes, words]
  const HaplotypeRows rows{.bits = bits.data(), .num_haplotypes = bits.size() / kWords, .num_markers = kMarkers};
  const SampleGenotypes sample{.missing = {1, 66}, .imputed = {{{7, 8}, {9, 10}}}};
  const uint32_t first = 1;
  const ImputedAlts imputed(rows, {&sample, 1}, {&first, 1});
  for (size_t j = 0; j < kMarkers; ++j) EXPECT_EQ(imputed.Has(j), j == 1 || j == 66) << j;
  const auto at = [&](size_t j, size_t h) { return imputed.row(h)[imputed.place(j)]; };
  EXPECT_EQ(at(1, 0), kCertainAlt);
  EXPECT_EQ(at(66, 0), 0);
  EXPECT_EQ(at(1, 1), 7);
  EXPECT_EQ(at(66, 1), 8);
  EXPECT_EQ(at(1, 2), 9);
  EXPECT_EQ(at(66, 2), 10);
}

}  // namespace
}  // namespace haplospin
