#include "imputation/network/sampled_haplotypes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "core/random.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

bool HasBit(const std::vector<uint64_t>& bits, size_t at) { return bits[at / 64] >> at % 64 & 1; }

// Rare and common markers; in half of each REF is the minor allele.
Mosaic SampledMosaic(size_t haplotypes) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = haplotypes, .markers = 60, .seed = haplotypes});
  RandomStream random(haplotypes);
  for (size_t m = 0; m < 60; ++m) {
    const double frequency = m % 2 == 0 ? 0.01 : 0.3;
    for (auto& row : mosaic.alleles) row[m] = random.Bernoulli(frequency) != (m % 4 < 2);
  }
  return mosaic;
}

TEST(SampledHaplotypes, HaveTheAllelesOfThePanel) {
  for (const size_t haplotypes : {3, 64, 200, 1000}) {
    for (const size_t max : {64, 130, 256, 5000}) {
      SCOPED_TRACE(testing::Message() << haplotypes << " haplotypes, at most " << max);
      const HaplotypePanel panel = HaploidPanelOf(SampledMosaic(haplotypes));
      const SampledHaplotypes sample(panel, max);
      ASSERT_LE(sample.num_haplotypes(), max);
      ASSERT_GE(sample.num_haplotypes(), std::min(haplotypes, max / 64 * 64 - 63));
      std::vector<uint64_t> alt(sample.num_words()), minor(sample.num_words());
      for (size_t m = 0; m < panel.num_markers(); ++m) {
        sample.CopyAlt(m, alt.data());
        sample.CopyMinor(m, minor.data());
        size_t found = 0, alt_count = 0, minor_count = 0;
        for (size_t h = 0; h < haplotypes; ++h) {
          const auto bit = sample.BitOf(h);
          if (!bit) continue;
          ++found;
          const int allele = panel.allele(m, h);
          ASSERT_EQ(HasBit(alt, *bit), allele == 1) << "marker " << m << ", haplotype " << h;
          ASSERT_EQ(HasBit(minor, *bit), (allele == 1) == panel.minor_is_alt(m)) << "marker " << m;
          alt_count += HasBit(alt, *bit);
          minor_count += HasBit(minor, *bit);
        }
        ASSERT_EQ(found, sample.num_haplotypes());
        for (const uint64_t word : alt) alt_count -= static_cast<size_t>(std::popcount(word));
        for (const uint64_t word : minor) minor_count -= static_cast<size_t>(std::popcount(word));
        ASSERT_EQ(alt_count, 0U) << "bits of no haplotype";
        ASSERT_EQ(minor_count, 0U) << "bits of no haplotype";
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
