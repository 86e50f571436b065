#include "genotypes/imputation/models/network/marker_regression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

std::vector<uint32_t> EveryFifth(size_t markers) {
  std::vector<uint32_t> typed;
  for (uint32_t m = 2; m < markers; m += 5) typed.push_back(m);
  return typed;
}

Mosaic DrawMosaic(size_t haplotypes, size_t markers, uint64_t seed) {
  return SimulateMosaic({.haplotypes = haplotypes, .markers = markers, .founders = 12, .seed = seed});
}

TargetHaplotype TypedOf(const Mosaic& mosaic, size_t h, const std::vector<uint32_t>& typed) {
  return TargetHaplotype(AllelesAt(mosaic.alleles[h], typed));
}

// A panel without some haplotypes.
HaplotypePanel Without(Mosaic mosaic, const std::vector<uint32_t>& excluded) {
  for (auto h = excluded.rbegin(); h != excluded.rend(); ++h) mosaic.alleles.erase(mosaic.alleles.begin() + *h);
  return HaploidPanelOf(mosaic);
}

TEST(MarkerRegression, WithoutHaplotypesIsThatOfASmallerPanel) {
  const Mosaic mosaic = DrawMosaic(300, 500, 3);
  const std::vector<uint32_t> typed = EveryFifth(500), excluded = {17, 18};
  const HaplotypePanel panel = HaploidPanelOf(mosaic), smaller = Without(mosaic, excluded);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform()),
      smaller_typed_panel(smaller, typed, GeneticMap::Uniform());
  const MarkerRegression regression(panel, typed_panel), expected(smaller, smaller_typed_panel);
  const TargetHaplotype target = TypedOf(mosaic, 17, typed);
  std::vector<float> centered, expected_centered;
  CenterAlleles(target, regression.means(), centered);
  CenterAlleles(target, expected.means(), expected_centered);
  size_t compared = 0;
  for (size_t b = 0; b < regression.num_blocks(); ++b) {
    const RegressionBlock solved = regression.SolveBlock(b, 0, 500, excluded);
    const RegressionBlock other = expected.SolveBlock(b, 0, 500);
    for (size_t k = 0; k < solved.markers.size(); ++k) {
      const size_t at = other.Find(solved.markers[k]);
      if (at == other.markers.size() ||
          panel.minor_is_alt(solved.markers[k]) != smaller.minor_is_alt(solved.markers[k])) {
        continue;  // just too rare, or another allele is minor
      }
      ++compared;
      EXPECT_NEAR(solved.Predict(k, centered), other.Predict(at, expected_centered), 2e-3);
      EXPECT_NEAR(solved.r2[k], other.r2[at], 2e-3);
    }
  }
  EXPECT_GT(compared, 200U);
}

// Every untyped marker is in one block, with typed markers on both sides of it where there are any.
TEST(MarkerRegression, BlocksHaveEachUntypedMarkerOnce) {
  for (const size_t markers : {40, 333, 900}) {
    const Mosaic mosaic = DrawMosaic(200, markers, markers);
    const HaplotypePanel panel = HaploidPanelOf(mosaic);
    const std::vector<uint32_t> typed = EveryFifth(markers);
    const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
    const MarkerRegression regression(panel, typed_panel);
    std::vector<uint32_t> seen;
    for (size_t b = 0; b < regression.num_blocks(); ++b) {
      const RegressionBlock solved = regression.SolveBlock(b, 0, markers);
      ASSERT_LE(solved.first_typed + solved.num_typed, typed.size());
      for (const uint32_t m : solved.markers) {
        const size_t interval = static_cast<size_t>(std::ranges::lower_bound(typed, m) - typed.begin());
        EXPECT_EQ(MarkerRegression::BlockIndex(interval), b);
        EXPECT_LT(solved.first_typed, std::max<size_t>(interval, 1));
        EXPECT_GT(solved.first_typed + solved.num_typed, std::min(interval, typed.size() - 1));
        EXPECT_FALSE(std::ranges::binary_search(typed, m));
        seen.push_back(m);
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    size_t frequent = 0;
    for (size_t m = 0; m < markers; ++m) {
      const size_t alt = panel.alt_count(m);
      frequent += std::min<size_t>(alt, 200 - alt) >= 10 && !std::ranges::binary_search(typed, m);
    }
    EXPECT_EQ(seen.size(), frequent);
  }
}

// Generalized cross-validation against leaving out one haplotype after the other.
TEST(MarkerRegression, R2IsThatOfLeftOutHaplotypes) {
  constexpr size_t kHaplotypes = 400, kMarkers = 160;
  const Mosaic mosaic = DrawMosaic(kHaplotypes, kMarkers, 5);
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const std::vector<uint32_t> typed = EveryFifth(kMarkers);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const MarkerRegression regression(panel, typed_panel);
  const size_t block = 2;
  const RegressionBlock all = regression.SolveBlock(block, 0, kMarkers);
  std::vector<double> errors(all.markers.size()), total(all.markers.size());
  std::vector<float> centered;
  for (uint32_t h = 0; h < kHaplotypes; ++h) {
    const RegressionBlock solved = regression.SolveBlock(block, 0, kMarkers, {{h}});
    CenterAlleles(TypedOf(mosaic, h, typed), regression.means(), centered);
    for (size_t k = 0; k < all.markers.size(); ++k) {
      const size_t m = all.markers[k], at = solved.Find(m);
      ASSERT_LT(at, solved.markers.size());
      const double minor = mosaic.alleles[h][m] == (panel.minor_is_alt(m) ? 1 : 0) ? 1 : 0;
      const double mean =
          std::min(panel.alt_count(m), uint32_t{kHaplotypes} - panel.alt_count(m)) / double{kHaplotypes};
      errors[k] += (minor - solved.Predict(at, centered)) * (minor - solved.Predict(at, centered));
      total[k] += (minor - mean) * (minor - mean);
    }
  }
  ASSERT_GT(all.markers.size(), 10U);
  for (size_t k = 0; k < all.markers.size(); ++k) {
    EXPECT_NEAR(all.r2[k], std::max(1 - errors[k] / total[k], 0.0), 0.05) << "marker " << all.markers[k];
  }
}

TEST(WindowRegression, FindsCopiesOfTypedMarkers) {
  Mosaic mosaic = DrawMosaic(400, 300, 7);
  const std::vector<uint32_t> typed = EveryFifth(300);
  const HaplotypePanel original = HaploidPanelOf(mosaic);
  const auto common = std::ranges::find_if(
      typed, [&](uint32_t m) { return m >= 120 && original.alt_count(m) >= 80 && original.alt_count(m) <= 320; });
  ASSERT_NE(common, typed.end());
  const size_t copy = *common + 18;  // some typed markers further
  for (auto& row : mosaic.alleles) row[copy] = row[*common];
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const WindowRegression regression(panel, typed_panel, 100, 300);
  EXPECT_GT(regression.r2(copy), 0.9F);
  EXPECT_EQ(regression.r2(*common), 0) << "typed markers are not predicted";
  std::vector<float> centered;
  for (size_t h = 0; h < 20; ++h) {
    CenterAlleles(TypedOf(mosaic, h, typed), regression.means(), centered);
    const float minor = mosaic.alleles[h][copy] == (panel.minor_is_alt(copy) ? 1 : 0) ? 1.0F : 0.0F;
    EXPECT_NEAR(regression.Predict(copy, centered, 0.5F), minor, 0.25F);
    EXPECT_EQ(regression.Predict(*common, centered, 0.125F), 0.125F);
  }
}

// A region must have the dosages of the whole contig.
TEST(WindowRegression, IsTheSameForAPartOfTheWindow) {
  const Mosaic mosaic = DrawMosaic(300, 600, 11);
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const std::vector<uint32_t> typed = EveryFifth(600);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const WindowRegression whole(panel, typed_panel, 0, 600), part(panel, typed_panel, 217, 391);
  std::vector<float> centered;
  CenterAlleles(TypedOf(mosaic, 5, typed), whole.means(), centered);
  for (size_t m = 217; m < 391; ++m) {
    EXPECT_EQ(whole.Predict(m, centered, 0.1F), part.Predict(m, centered, 0.1F)) << "marker " << m;
    EXPECT_EQ(whole.r2(m), part.r2(m)) << "marker " << m;
  }
}

TEST(WindowRegression, PredictsTheFrequencyWhereAllAllelesAreMissing) {
  const Mosaic mosaic = DrawMosaic(200, 300, 9);
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const std::vector<uint32_t> typed = EveryFifth(300);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const WindowRegression regression(panel, typed_panel, 0, 300);
  const TargetHaplotype missing(std::vector<uint8_t>(typed.size(), kMissingAllele));
  std::vector<float> centered;
  CenterAlleles(missing, regression.means(), centered);
  for (size_t m = 0; m < 300; ++m) {
    const size_t alt = panel.alt_count(m);
    const float frequency = static_cast<float>(std::min<size_t>(alt, 200 - alt)) / 200;
    EXPECT_NEAR(regression.Predict(m, centered, frequency), frequency, 1e-5F);
  }
}

TEST(WindowRegression, AcceptsTinyPanels) {
  for (const size_t haplotypes : {2, 10, 25}) {
    const Mosaic mosaic = DrawMosaic(haplotypes, 40, haplotypes);
    const HaplotypePanel panel = HaploidPanelOf(mosaic);
    for (const std::vector<uint32_t>& typed : {std::vector<uint32_t>{20}, EveryFifth(40)}) {
      const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
      const WindowRegression regression(panel, typed_panel, 0, 40);
      std::vector<float> centered;
      CenterAlleles(TypedOf(mosaic, 0, typed), regression.means(), centered);
      for (size_t m = 0; m < 40; ++m) {
        EXPECT_TRUE(std::isfinite(regression.Predict(m, centered, 0.1F)));
        EXPECT_GE(regression.r2(m), 0);
        EXPECT_LE(regression.r2(m), 1);
      }
    }
  }
}

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
          const auto bit = sample.FindBit(h);
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
