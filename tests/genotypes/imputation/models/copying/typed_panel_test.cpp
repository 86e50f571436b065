#include "genotypes/imputation/models/copying/typed_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Odd numbers of haplotypes and typed markers, beyond a word of bits either way.
struct TypedPanelFixture {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 133, .markers = 400, .rare_share = 0.3});
  HaplotypePanel panel = HaploidPanelOf(mosaic);
  std::vector<uint32_t> typed = [] {
    std::vector<uint32_t> markers;
    for (uint32_t m = 3; m < 400; m += 1 + m % 5) markers.push_back(m);
    return markers;
  }();
  TypedPanel typed_panel{panel, typed, GeneticMap::Uniform()};
};

TEST(TypedPanel, BitsAreThePanelsAlleles) {
  const TypedPanelFixture f;
  ASSERT_GT(f.typed.size(), 128u);
  ASSERT_EQ(f.typed_panel.num_haplotypes(), 133u);
  ASSERT_EQ(f.typed_panel.num_typed(), f.typed.size());
  ASSERT_EQ(f.typed_panel.num_intervals(), f.typed.size() + 1);
  for (size_t j = 0; j < f.typed.size(); ++j) {
    for (size_t h = 0; h < 133; ++h) {
      const uint64_t allele = f.mosaic.alleles[h][f.typed[j]];
      ASSERT_EQ(f.typed_panel.haplotype_bits(h)[j / 64] >> (j % 64) & 1, allele);
    }
  }
}

TEST(TypedPanel, AHaplotypeOfThePanelAsATarget) {
  const TypedPanelFixture f;
  for (const size_t h : {0, 64, 132}) {
    EXPECT_EQ(PanelHaplotype(f.typed_panel, h).alleles, AllelesAt(f.mosaic.alleles[h], f.typed)) << h;
  }
}

TEST(TypedPanel, AnotherMapChangesDistancesAlone) {
  const TypedPanelFixture f;
  const GeneticMap longer = GeneticMap::Uniform().Scaled(3);
  const TypedPanel other(f.typed_panel, f.panel, longer), expected(f.panel, f.typed, longer);
  EXPECT_EQ(other.rows().bits, f.typed_panel.rows().bits);
  EXPECT_TRUE(std::ranges::equal(other.typed(), expected.typed()));
  EXPECT_TRUE(std::ranges::equal(other.centimorgans(), expected.centimorgans()));
  EXPECT_TRUE(std::ranges::equal(other.morgans(), expected.morgans()));
  EXPECT_TRUE(std::ranges::equal(other.anchors(), expected.anchors()));
}

TEST(TypedPanel, DistancesFollowTheMap) {
  const TypedPanelFixture f;
  const auto cm = f.typed_panel.centimorgans();
  const size_t m = f.typed.size();
  ASSERT_EQ(cm.size(), m + 2);
  ASSERT_EQ(f.typed_panel.morgans().size(), m - 1);
  EXPECT_LT(cm[0], cm[1]);
  EXPECT_GT(cm[m + 1], cm[m]);
  for (size_t j = 0; j + 1 < m; ++j) {
    const double bp =
        static_cast<double>(f.panel.marker(f.typed[j + 1]).position - f.panel.marker(f.typed[j]).position);
    ASSERT_NEAR(cm[j + 2] - cm[j + 1], 1e-6 * bp, 1e-6);
    ASSERT_NEAR(f.typed_panel.morgans()[j], 1e-8 * bp, 1e-8);
    ASSERT_FLOAT_EQ(f.typed_panel.middle(j + 1), (cm[j + 1] + cm[j + 2]) / 2);
  }
}

// Far along a chromosome, floats must still distinguish neighboring markers.
TEST(TypedPanel, DistancesKeepTheirPrecisionFarAlong) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 10, .markers = 20, .spacing_bp = 100});
  for (Marker& marker : mosaic.markers) marker.position += 240'000'000;
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const TypedPanel typed_panel(panel, {0, 1, 19}, GeneticMap::Uniform());
  EXPECT_NEAR(typed_panel.morgans()[0], 1e-6, 1e-9);
  EXPECT_NEAR(typed_panel.morgans()[1], 18e-6, 1e-9);
}

// Anchors cut the intervals into runs; each stands in its own run, close to all of it.
TEST(TypedPanel, AnchorsStandForIntervalsNearby) {
  for (const int64_t spacing_bp : {1, 100, 700, 5000}) {
    const HaplotypePanel panel = HaploidPanelOf(SimulateMosaic({.markers = 300, .spacing_bp = spacing_bp}));
    std::vector<uint32_t> typed;
    for (uint32_t m = 0; m < 300; m += 1 + m % 4) typed.push_back(m);
    const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
    std::vector<uint32_t> anchors;
    for (size_t i = 0; i < typed_panel.num_intervals(); ++i) {
      const uint32_t anchor = typed_panel.anchor_of(i);
      ASSERT_EQ(typed_panel.anchor_of(anchor), anchor);
      ASSERT_EQ(typed_panel.is_anchor(i), anchor == i);
      ASSERT_LT(std::abs(typed_panel.middle(anchor) - typed_panel.middle(i)), 0.01f);
      ASSERT_TRUE(i == 0 || anchor >= typed_panel.anchor_of(i - 1));
      if (anchors.empty() || anchors.back() != anchor) anchors.push_back(anchor);
    }
    ASSERT_TRUE(std::ranges::equal(typed_panel.anchors(), anchors));
  }
}

TEST(TypedPanel, MarkersAtOnePositionAreApart) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 10, .markers = 4});
  for (Marker& marker : mosaic.markers) marker.position = 1000;
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const TypedPanel typed_panel(panel, {0, 1, 3}, GeneticMap::Uniform());
  for (const float morgans : typed_panel.morgans()) EXPECT_GT(morgans, 0);
}

TEST(TypedPanel, RareAllelesTellMore) {
  const TypedPanelFixture f;
  for (size_t j = 0; j < f.typed.size(); ++j) {
    const double alt = f.panel.alt_count(f.typed[j]) / 133.0;
    ASSERT_NEAR(f.typed_panel.information(j, 1), -std::log(alt), 1e-5);
    ASSERT_NEAR(f.typed_panel.information(j, 0), -std::log(1 - alt), 1e-5);
  }
}

TEST(TypedPanel, InformationIsFiniteWhereAllAgree) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 10, .markers = 2});
  for (auto& row : mosaic.alleles) row = {0, 1};
  const TypedPanel typed_panel(HaploidPanelOf(mosaic), {0, 1}, GeneticMap::Uniform());
  for (const size_t j : {0, 1}) {
    for (const int allele : {0, 1}) {
      EXPECT_TRUE(std::isfinite(typed_panel.information(j, allele)));
      EXPECT_GE(typed_panel.information(j, allele), 0);
    }
  }
}

TEST(TargetHaplotype, BitsOfAllelesAndOfWhatIsSeen) {
  std::vector<uint8_t> alleles;
  for (size_t j = 0; j < 150; ++j) alleles.push_back(static_cast<uint8_t>(j * j % 7 % 3));
  const TargetHaplotype target(alleles);
  ASSERT_EQ(target.bits.size(), 3u);
  ASSERT_EQ(target.observed.size(), 3u);
  for (size_t j = 0; j < 192; ++j) {
    const bool is_seen = j < 150 && alleles[j] != kMissingAllele;
    ASSERT_EQ(target.observed[j / 64] >> (j % 64) & 1, is_seen) << j;
    ASSERT_EQ(target.bits[j / 64] >> (j % 64) & 1, is_seen && alleles[j] == 1) << j;
  }
}

}  // namespace
}  // namespace haplospin
