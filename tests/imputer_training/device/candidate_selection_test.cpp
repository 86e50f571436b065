#include "imputer_training/device/candidate_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/random.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/copying_states.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// The last haplotypes of a mosaic are targets, with missing alleles; the others are the panel.
struct Search {
  Search(const MosaicOptions& options, size_t num_targets, const StateOptions& states,
         const ExcludedHaplotypes& excluded = {})
      : mosaic(SimulateMosaic(options)),
        panel(PanelOf(mosaic, HaploidSamples("R", options.haplotypes - num_targets))),
        typed_panel(panel, CommonMarkers(panel, 2), GeneticMap::Uniform()),
        model(EstimatePanelCopying(typed_panel, {}).model),
        haplotypes(DrawTargets(options, excluded)),
        selection(typed_panel, PointersTo(haplotypes), states),
        chosen(num_targets) {
    for (size_t t = 0; t < num_targets; ++t) selection.Get(t, chosen[t]);
  }

  std::vector<TargetHaplotype> DrawTargets(const MosaicOptions& options, const ExcludedHaplotypes& excluded) const {
    RandomStream random(options.seed + 1);
    std::vector<TargetHaplotype> targets;
    for (size_t h = panel.num_haplotypes(); h < mosaic.alleles.size(); ++h) {
      std::vector<uint8_t> alleles = AllelesAt(mosaic.alleles[h], typed_panel.typed());
      const double missing = h % 3 == 0 ? 0 : 0.1;
      for (uint8_t& allele : alleles) allele = random.Bernoulli(missing) ? kMissingAllele : allele;
      targets.emplace_back(alleles, excluded);
    }
    return targets;
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  TypedPanel typed_panel;
  CopyingModel model;
  std::vector<TargetHaplotype> haplotypes;
  StateSelection selection;
  std::vector<CopyingStates> chosen;  // [targets]
};

// The results of a search, by target.
struct Found {
  explicit Found(const Search& search)
      : candidates(search.haplotypes.size()),
        left_out(search.haplotypes.size(), std::vector<float>(search.typed_panel.num_typed(), -1)) {}

  std::vector<CopyCandidates> candidates;
  std::vector<std::vector<float>> left_out;
};

Found FindWithKernels(const Search& search) {
  Found found(search);
  CandidateFinder finder;
  for (size_t t = 0; t < search.haplotypes.size(); ++t) {
    finder.Find(search.typed_panel, search.model, search.haplotypes[t], search.chosen[t], found.candidates[t],
                found.left_out[t]);
  }
  return found;
}

torch::Tensor AnchorsOf(const TypedPanel& typed_panel) {
  return torch::tensor(std::vector<int64_t>(typed_panel.anchors().begin(), typed_panel.anchors().end()));
}

Found FindWithTensors(const Search& search) {
  std::vector<PackedStates> packed;
  for (const CopyingStates& states : search.chosen) packed.emplace_back(states, search.typed_panel.num_typed());
  std::vector<BatchTarget> targets;
  for (size_t t = 0; t < packed.size(); ++t) targets.push_back({&search.haplotypes[t], &packed[t], &search.model});
  const CopyingBatch batch(search.typed_panel, targets, torch::kCPU);
  const SelectedCandidates selected = SelectCandidates(search.typed_panel, batch, CopyingOptions{}.min_product);
  const torch::Tensor haplotypes = batch.HaplotypesOf(selected.state, AnchorsOf(search.typed_panel));
  Found found(search);
  for (int64_t t = 0; t < batch.num_targets; ++t) {
    CopyCandidates& candidates = found.candidates[static_cast<size_t>(t)];
    candidates.Reset(search.typed_panel.num_intervals());
    for (int64_t a = 0; a < selected.count.size(0); ++a) {
      const size_t anchor = search.typed_panel.anchors()[static_cast<size_t>(a)];
      const int count = selected.count[a][t].item<int>();
      const size_t first = candidates.AddSlots(anchor, static_cast<size_t>(count));
      for (int k = 0; k < count; ++k) {
        const size_t slot = first + static_cast<size_t>(k);
        candidates.haplotype[slot] = static_cast<uint32_t>(haplotypes[a][t][k].item<int64_t>());
        candidates.forward[slot] = selected.forward[a][t][k].item<float>();
        candidates.backward[slot] = selected.backward[a][t][k].item<float>();
        candidates.at_left[slot] = selected.at_left[a][t][k].item<float>();
        candidates.at_right[slot] = selected.at_right[a][t][k].item<float>();
      }
    }
    for (int64_t j = 0; j < batch.num_typed; ++j) {
      found.left_out[static_cast<size_t>(t)][static_cast<size_t>(j)] = selected.left_out[j][t].item<float>();
    }
  }
  return found;
}

struct Probabilities {
  float forward, backward, at_left, at_right;
  float product() const { return forward * backward; }
};

std::map<uint32_t, Probabilities> ByHaplotype(const CopyCandidates& candidates, size_t anchor) {
  std::map<uint32_t, Probabilities> found;
  for (size_t k = 0; k < candidates.count[anchor]; ++k) {
    const size_t slot = candidates.first_slot[anchor] + k;
    found[candidates.haplotype[slot]] = {candidates.forward[slot], candidates.backward[slot], candidates.at_left[slot],
                                         candidates.at_right[slot]};
  }
  return found;
}

float LeastProduct(const std::map<uint32_t, Probabilities>& found) {
  float least = INFINITY;
  for (const auto& [haplotype, p] : found) least = std::min(least, p.product());
  return least;
}

// The same candidates with the same probabilities. Only those that are the last by rounding may differ.
void ExpectSameCandidates(const CopyCandidates& kernels, const CopyCandidates& tensors, size_t anchor) {
  constexpr float kRounding = 1e-4f;
  const auto expected = ByHaplotype(kernels, anchor), found = ByHaplotype(tensors, anchor);
  const float least = std::max(LeastProduct(expected), LeastProduct(found)) * (1 + kRounding);
  for (const auto& [haplotype, p] : expected) {
    const auto same = found.find(haplotype);
    if (same == found.end()) {
      ASSERT_LE(p.product(), least) << "not found: " << haplotype;
    } else {
      ASSERT_NEAR(same->second.forward, p.forward, kRounding * p.forward);
      ASSERT_NEAR(same->second.backward, p.backward, kRounding * p.backward);
      ASSERT_NEAR(same->second.at_left, p.at_left, 2 * kRounding * p.at_left);
      ASSERT_NEAR(same->second.at_right, p.at_right, 2 * kRounding * p.at_right);
    }
  }
  for (const auto& [haplotype, p] : found) {
    ASSERT_TRUE(expected.contains(haplotype) || p.product() <= least) << "found: " << haplotype;
  }
  const auto listed = tensors.haplotypes(anchor);
  ASSERT_EQ(found.size(), listed.size()) << "a haplotype is found twice";
}

void ExpectSame(const Search& search) {
  const Found kernels = FindWithKernels(search), tensors = FindWithTensors(search);
  for (size_t t = 0; t < search.haplotypes.size(); ++t) {
    for (const uint32_t anchor : search.typed_panel.anchors()) {
      SCOPED_TRACE(testing::Message() << "target " << t << ", anchor " << anchor);
      ASSERT_GT(kernels.candidates[t].count[anchor], 0);
      ASSERT_NO_FATAL_FAILURE(ExpectSameCandidates(kernels.candidates[t], tensors.candidates[t], anchor));
    }
    for (size_t j = 0; j < search.typed_panel.num_typed(); ++j) {
      ASSERT_NEAR(kernels.left_out[t][j], tensors.left_out[t][j], 1e-4) << "target " << t << ", typed marker " << j;
    }
  }
}

constexpr StateOptions kFewStates{.max_states = 300};

// Fewer typed markers than a block of the recursions, one block, and several; from few haplotypes to many.
TEST(CandidateSelection, AgreesWithTheKernelsInSmallPanels) {
  for (const size_t markers : {12, 128, 500}) {
    for (const size_t haplotypes : {10, 70, 128}) {
      SCOPED_TRACE(testing::Message() << markers << " markers, " << haplotypes << " haplotypes");
      const Search search({.haplotypes = haplotypes, .markers = markers, .founders = 4, .rare_share = 0}, 5, {});
      ASSERT_FALSE(search.chosen[0].num_without_state() > 0);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(search));
    }
  }
}

TEST(CandidateSelection, AgreesWithTheKernelsIfNotAllHaplotypesAreStates) {
  for (const uint64_t seed : {1, 2, 3}) {
    const Search search({.haplotypes = 1500, .markers = 700, .founders = 60, .seed = seed}, 12, kFewStates);
    ASSERT_GT(search.chosen[0].num_without_state(), 0u);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(search));
  }
}

// States that serve both haplotypes of a sample.
TEST(CandidateSelection, AgreesWithTheKernelsForStatesOfBoth) {
  Search search({.haplotypes = 1200, .markers = 500, .founders = 50, .seed = 7}, 6, kFewStates);
  search.selection.GetForBoth(0, search.chosen[1]);
  search.selection.GetForBoth(2, search.chosen[4]);
  EXPECT_NE(search.chosen[0].size(), search.chosen[1].size());
  ExpectSame(search);
}

TEST(CandidateSelection, FindsNoneOfTheExcluded) {
  const ExcludedHaplotypes excluded{{3, 17}, 2};
  for (const StateOptions& states : {StateOptions{}, kFewStates}) {
    const Search search({.haplotypes = 600, .markers = 200, .seed = 9}, 4, states, excluded);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(search));
  }
}

// Identical haplotypes: which ones are found does not depend on rounding.
TEST(CandidateSelection, FindsTheFirstOfEqualOnes) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 512, .markers = 60});
  for (auto& haplotype : mosaic.alleles) haplotype = mosaic.alleles[0];
  const HaplotypePanel panel = HaploidPanelOf(mosaic);
  const TypedPanel typed_panel(panel, {5, 20, 21, 59}, GeneticMap::Uniform());
  const CopyingModel model = EstimatePanelCopying(typed_panel, {}).model;
  const TargetHaplotype target(AllelesAt(mosaic.alleles[0], typed_panel.typed()));
  const PackedStates states(AllStates(typed_panel), typed_panel.num_typed());
  const BatchTarget batch_target{&target, &states, &model};
  const CopyingBatch batch(typed_panel, {&batch_target, 1}, torch::kCPU);
  const SelectedCandidates selected = SelectCandidates(typed_panel, batch, CopyingOptions{}.min_product);
  const torch::Tensor first = torch::arange(static_cast<int64_t>(kMaxCandidates));
  EXPECT_TRUE((selected.count == static_cast<int64_t>(kMaxCandidates)).all().item<bool>());
  EXPECT_TRUE((batch.HaplotypesOf(selected.state, AnchorsOf(typed_panel)) == first).all().item<bool>());
}

}  // namespace
}  // namespace haplospin
