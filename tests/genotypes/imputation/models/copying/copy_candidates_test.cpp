#include "genotypes/imputation/models/copying/copy_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "genotypes/imputation/models/copying/naive_copying.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/genetic_map.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

std::vector<uint32_t> EveryThird(size_t markers) {
  std::vector<uint32_t> typed;
  for (uint32_t m = 0; m < markers; m += 3) typed.push_back(m);
  return typed;
}

// A panel of all haplotypes of a mosaic but the last, which is the target.
struct Search {
  explicit Search(const MosaicOptions& options, const std::vector<size_t>& missing = {})
      : mosaic(SimulateMosaic(options)),
        panel(MakePanel(mosaic, HaploidSamples("R", options.haplotypes - 1))),
        typed_panel(panel, EveryThird(panel.num_markers()), GeneticMap::Uniform()),
        model(EstimatePanelCopying(typed_panel, {}).model),
        target([&] {
          std::vector<uint8_t> alleles = AllelesAt(mosaic.alleles.back(), typed_panel.typed());
          for (const size_t j : missing) alleles[j] = kMissingAllele;
          return TargetHaplotype(alleles);
        }()) {}

  Mosaic mosaic;
  HaplotypePanel panel;
  TypedPanel typed_panel;
  CopyingModel model;
  TargetHaplotype target;
};

// The candidates of each anchor are those with the largest products, except negligible ones, and have their
// probabilities.
void ExpectBest(const Search& search, const CopyCandidates& found, const ExcludedHaplotypes& excluded) {
  const NaiveCopying naive = ComputeNaiveCopying(search.typed_panel, search.model, search.target, excluded);
  const size_t n = search.panel.num_haplotypes();
  const size_t copied = n - excluded.count;
  ASSERT_EQ(found.count.size(), search.typed_panel.num_intervals());
  for (const uint32_t i : search.typed_panel.anchors()) {
    SCOPED_TRACE(testing::Message() << "interval " << i << " of " << n << " haplotypes");
    const auto haplotypes = found.haplotypes(i);
    ASSERT_LE(haplotypes.size(), std::min(kMaxCandidates, copied));
    ASSERT_FALSE(haplotypes.empty());
    std::vector<bool> is_found(n);
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (size_t k = 0; k < haplotypes.size(); ++k) {
      const uint32_t h = haplotypes[k];
      ASSERT_LT(h, n);
      ASSERT_FALSE(is_found[h]);
      is_found[h] = true;
      const double forward = naive.middle_forward[i][h], backward = naive.middle_backward[i][h];
      least = std::min(least, forward * backward);
      const double scale = static_cast<double>(copied);
      ASSERT_NEAR(found.forward[found.first_slot[i] + k], forward * scale, 1e-3 * forward * scale);
      ASSERT_NEAR(found.backward[found.first_slot[i] + k], backward * scale, 1e-3 * backward * scale);
      const double at_left = naive.forward[i][h] * naive.end_backward[i][h] / (forward * backward);
      const double at_right = naive.end_forward[i][h] * naive.backward[i][h] / (forward * backward);
      ASSERT_NEAR(found.at_left[found.first_slot[i] + k], at_left, 1e-3 * at_left);
      ASSERT_NEAR(found.at_right[found.first_slot[i] + k], at_right, 1e-3 * at_right);
    }
    for (const uint32_t h : excluded.span()) ASSERT_FALSE(is_found[h]);
    for (size_t h = 0; h < n; ++h) {
      largest = std::max(largest, naive.middle_forward[i][h] * naive.middle_backward[i][h]);
    }
    ASSERT_GE(least, CopyingOptions{}.min_product * largest * 0.999);
    if (haplotypes.size() < kMaxCandidates) least = CopyingOptions{}.min_product * largest;
    for (size_t h = 0; h < n; ++h) {
      const double product = naive.middle_forward[i][h] * naive.middle_backward[i][h];
      ASSERT_TRUE(is_found[h] || product <= least * 1.001) << "haplotype " << h;
    }
  }
}

TEST(CopyCandidates, AreThoseThatFitBest) {
  CandidateFinder finder;
  CopyCandidates found;
  for (const size_t haplotypes : {kMaxCandidates + 2, 3 * kMaxCandidates, 10 * kMaxCandidates + 7}) {
    const Search search({.haplotypes = haplotypes, .markers = 150, .seed = haplotypes});
    finder.Find(search.typed_panel, search.model, search.target, AllStates(search.typed_panel), found);
    ExpectBest(search, found, {});
  }
}

// A lower limit keeps the best of those that the default keeps.
TEST(CopyCandidates, AreAtMostSoMany) {
  constexpr size_t kFew = 10;
  const Search search({.haplotypes = 3 * kMaxCandidates, .markers = 150});
  const CopyingStates states = AllStates(search.typed_panel);
  CopyCandidates all, few;
  CandidateFinder().Find(search.typed_panel, search.model, search.target, states, all);
  CandidateFinder({.max_candidates = kFew}).Find(search.typed_panel, search.model, search.target, states, few);
  for (const uint32_t anchor : search.typed_panel.anchors()) {
    const std::span<const uint32_t> more = all.haplotypes(anchor), best = few.haplotypes(anchor);
    ASSERT_EQ(best.size(), std::min(kFew, more.size()));
    std::vector<float> products;
    for (size_t k = 0; k < more.size(); ++k) {
      products.push_back(all.forward[all.first_slot[anchor] + k] * all.backward[all.first_slot[anchor] + k]);
    }
    std::ranges::sort(products, std::greater<>());
    for (size_t k = 0; k < best.size(); ++k) {
      ASSERT_TRUE(std::ranges::find(more, best[k]) != more.end());
      ASSERT_GE(few.forward[few.first_slot[anchor] + k] * few.backward[few.first_slot[anchor] + k],
                products[best.size() - 1]);
    }
  }
}

TEST(CopyCandidates, WithMissingAlleles) {
  const Search search({.haplotypes = 400, .markers = 150}, {0, 3, 4, 5, 9});
  CopyCandidates found;
  CandidateFinder().Find(search.typed_panel, search.model, search.target, AllStates(search.typed_panel), found);
  ExpectBest(search, found, {});
}

TEST(CopyCandidates, AllHaplotypesOfASmallPanel) {
  CandidateFinder finder;
  CopyCandidates found;
  for (const size_t haplotypes : {size_t{2}, size_t{3}, size_t{20}, kMaxCandidates, kMaxCandidates + 1}) {
    const Search search({.haplotypes = haplotypes, .markers = 60, .founders = 3, .rare_share = 0});
    finder.Find(search.typed_panel, search.model, search.target, AllStates(search.typed_panel), found);
    ExpectBest(search, found, {});
  }
}

TEST(CopyCandidates, NoneOfTheExcluded) {
  for (const size_t haplotypes : {size_t{4}, kMaxCandidates, 4 * kMaxCandidates}) {
    const Search search({.haplotypes = haplotypes, .markers = 100, .founders = 4, .rare_share = 0});
    for (const ExcludedHaplotypes& excluded : {ExcludedHaplotypes{{1, 0}, 1}, ExcludedHaplotypes{{0, 1}, 2}}) {
      CopyCandidates found;
      CandidateFinder().Find(search.typed_panel, search.model, search.target, AllStates(search.typed_panel, excluded),
                             found);
      ExpectBest(search, found, excluded);
    }
  }
}

// Identical haplotypes: the selection does not depend on the search.
TEST(CopyCandidates, OfEqualOnesTheFirst) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 512, .markers = 60});  // whole vectors: equal to the last bit
  for (auto& haplotype : mosaic.alleles) haplotype = mosaic.alleles[0];
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const TypedPanel typed_panel(panel, {5, 20, 21, 59}, GeneticMap::Uniform());
  const CopyingModel model = EstimatePanelCopying(typed_panel, {}).model;
  const TargetHaplotype target(AllelesAt(mosaic.alleles[0], typed_panel.typed()));
  CopyCandidates found;
  CandidateFinder().Find(typed_panel, model, target, AllStates(typed_panel), found);
  std::vector<uint32_t> first(kMaxCandidates);
  std::iota(first.begin(), first.end(), 0);
  for (const uint32_t i : typed_panel.anchors()) ASSERT_TRUE(std::ranges::equal(found.haplotypes(i), first)) << i;
}

// A workspace that was used for other panels gives the same results as a new one.
TEST(CopyCandidates, DoNotDependOnEarlierTargets) {
  const Search large({.haplotypes = 700, .markers = 200, .seed = 2});
  const Search small({.haplotypes = 300, .markers = 100, .seed = 3});
  CandidateFinder used;
  CopyCandidates first, second;
  used.Find(large.typed_panel, large.model, large.target, AllStates(large.typed_panel), first);
  used.Find(small.typed_panel, small.model, small.target, AllStates(small.typed_panel), first);
  CandidateFinder().Find(small.typed_panel, small.model, small.target, AllStates(small.typed_panel), second);
  for (const uint32_t i : small.typed_panel.anchors()) {
    ASSERT_TRUE(std::ranges::equal(first.haplotypes(i), second.haplotypes(i))) << i;
  }
}

}  // namespace
}  // namespace haplospin
