#include "genotypes/imputation/models/network/window_alleles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Common and rare markers, with few and with many carriers, and minor alleles that are REF.
Mosaic MixedMosaic(size_t haplotypes, int64_t spacing_bp = 5000) {
  Mosaic mosaic =
      SimulateMosaic({.haplotypes = haplotypes, .markers = 400, .spacing_bp = spacing_bp, .seed = haplotypes});
  RandomStream random(haplotypes);
  for (size_t m = 0; m < 400; m += 5) {  // frequencies between those of rare and common markers
    const double frequency = 0.002 + 0.05 * random.Uniform();
    const bool minor_is_ref = random.Bernoulli(0.5);
    for (auto& row : mosaic.alleles) row[m] = random.Bernoulli(frequency) != minor_is_ref;
  }
  return mosaic;
}

// Returns a random number of candidates in any order.
std::vector<uint32_t> DrawCandidates(size_t haplotypes, RandomStream& random) {
  std::vector<uint32_t> all(haplotypes);
  std::iota(all.begin(), all.end(), 0);
  random.Shuffle(std::span(all));
  all.resize(1 + random.UniformInt(std::min(haplotypes, kMaxCandidates)));
  return all;
}

void ExpectCarriers(const HaplotypePanel& panel, const std::vector<uint32_t>& typed, size_t begin, size_t end) {
  SCOPED_TRACE(testing::Message() << panel.num_haplotypes() << " haplotypes, markers " << begin << " to " << end);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const WindowAlleles alleles(panel, typed_panel, begin, end);
  std::vector<CandidateMask> carriers;
  RandomStream random(1);
  ASSERT_EQ(alleles.begin(), begin);
  ASSERT_EQ(alleles.end(), end);
  size_t next = begin;  // anchors hold the markers one after the other
  for (const uint32_t anchor : typed_panel.anchors()) {
    ASSERT_EQ(alleles.first_marker(anchor), next);
    next = alleles.first_marker(anchor + 1);
    const std::vector<uint32_t> candidates = DrawCandidates(panel.num_haplotypes(), random);
    alleles.FindCarriers(anchor, candidates, carriers);
    ASSERT_EQ(carriers.size(), next - alleles.first_marker(anchor));
    for (size_t m = alleles.first_marker(anchor); m < next; ++m) {
      const auto at = std::ranges::lower_bound(typed, static_cast<uint32_t>(m));
      const auto interval = static_cast<size_t>(at - typed.begin());
      ASSERT_EQ(typed_panel.anchor_of(interval), anchor) << "marker " << m;
      const bool is_typed = at != typed.end() && *at == m;
      ASSERT_EQ(alleles.typed_index(m), is_typed ? interval : WindowAlleles::kUntyped) << "marker " << m;
      CandidateMask expected;
      for (size_t k = 0; k < candidates.size(); ++k) {
        if (panel.allele(m, candidates[k]) == (panel.minor_is_alt(m) ? 1 : 0)) expected.Set(k);
      }
      ASSERT_EQ(carriers[m - alleles.first_marker(anchor)], expected) << "marker " << m;
    }
  }
  ASSERT_EQ(next, end);
}

void ExpectCarriersInAllParts(size_t haplotypes, int64_t spacing_bp) {
  const HaplotypePanel panel = HaploidPanelOf(MixedMosaic(haplotypes, spacing_bp));
  std::vector<uint32_t> typed{0, 1, 40};
  for (uint32_t m = 45; m < 300; m += 3 + m % 11) typed.push_back(m);
  ExpectCarriers(panel, typed, 0, 400);
  ExpectCarriers(panel, {200}, 0, 400);    // over a hundred common markers in an interval
  ExpectCarriers(panel, typed, 37, 290);   // a part of the window
  ExpectCarriers(panel, typed, 0, 1);      // a typed marker alone
  ExpectCarriers(panel, typed, 350, 400);  // beyond the last typed one
  ExpectCarriers(panel, typed, 70, 70);    // an empty part
}

TEST(WindowAlleles, AreThePanels) {
  for (const size_t haplotypes : {2, 63, 65, 200, 3000}) ExpectCarriersInAllParts(haplotypes, 5000);
}

// The markers are so close together that several intervals share an anchor.
TEST(WindowAlleles, AreThePanelsAtDenseMarkers) {
  for (const int64_t spacing_bp : {1, 40, 120, 400}) ExpectCarriersInAllParts(100, spacing_bp);
}

// The panel must hold what this test is about.
TEST(WindowAlleles, TheTestsPanelHasEveryKind) {
  const HaplotypePanel panel = HaploidPanelOf(MixedMosaic(3000));
  size_t common = 0, few = 0, many = 0, minor_is_ref = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    minor_is_ref += !panel.minor_is_alt(m);
    if (!panel.is_rare(m)) {
      ++common;
    } else {
      ++(panel.carriers(m).size() < 20 ? few : many);
    }
  }
  for (const size_t count : {common, few, many, minor_is_ref}) EXPECT_GT(count, 10u);
}

TEST(CandidateMask, TheFirstOnes) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, kMaxCandidates}) {
    const CandidateMask mask = CandidateMask::First(count);
    for (size_t k = 0; k < 128; ++k) ASSERT_EQ(mask.Has(k), k < count) << k << " of " << count;
    EXPECT_EQ(mask.None(), count == 0);
  }
}

}  // namespace
}  // namespace haplospin
