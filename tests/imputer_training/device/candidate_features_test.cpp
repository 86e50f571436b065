#include "imputer_training/device/candidate_features.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/ancestry.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/match_features.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

constexpr size_t kPanelSamples = 150, kStudySamples = 4;

// A window of several blocks (ancestry.h); the last haplotypes of a mosaic are targets, with missing alleles.
struct Fixture {
  explicit Fixture(uint64_t seed)
      : mosaic(SimulateMosaic({.haplotypes = 2 * (kPanelSamples + kStudySamples),
                               .markers = 600,
                               .founders = 12,
                               .spacing_bp = 10'000,
                               .seed = seed})),
        panel(PanelOf(mosaic, DiploidSamples("R", kPanelSamples))),
        window(panel, map, CommonMarkers(panel, 3), {0, panel.num_markers()}),
        typed_panel(window.typed_panel()),
        tensors(window, torch::kCPU) {
    RandomStream random(seed);
    CandidateFinder finder;
    for (size_t t = 0; t < 2 * kStudySamples; ++t) {
      std::vector<uint8_t> typed = AllelesAt(mosaic.alleles[2 * kPanelSamples + t], typed_panel.typed());
      for (uint8_t& allele : typed) allele = random.Bernoulli(0.05) ? kMissingAllele : allele;
      targets.emplace_back(typed);
      found.emplace_back();
      finder.Find(typed_panel, window.copying().model, targets.back(), AllStates(typed_panel), found.back());
    }
  }

  // Returns the candidates without shares.
  CandidateTensors Candidates() const {
    const auto anchors = static_cast<int64_t>(typed_panel.anchors().size());
    const auto count = static_cast<int64_t>(targets.size()), slots = static_cast<int64_t>(kMaxCandidates);
    CandidateTensors candidates;
    candidates.used = torch::zeros({anchors, count, slots}, torch::kBool);
    candidates.haplotype = torch::zeros({anchors, count, slots}, torch::kLong);
    candidates.forward = torch::zeros({anchors, count, slots});
    candidates.backward = torch::zeros({anchors, count, slots});
    candidates.at_left = candidates.at_right = torch::ones({anchors, count, slots});
    for (int64_t a = 0; a < anchors; ++a) {
      const size_t anchor = typed_panel.anchors()[static_cast<size_t>(a)];
      for (int64_t t = 0; t < count; ++t) {
        const CopyCandidates& of_target = found[static_cast<size_t>(t)];
        for (size_t k = 0; k < of_target.count[anchor]; ++k) {
          const size_t from = of_target.first_slot[anchor] + k;
          const int64_t to = (a * count + t) * slots + static_cast<int64_t>(k);
          candidates.used.data_ptr<bool>()[to] = true;
          candidates.haplotype.data_ptr<int64_t>()[to] = of_target.haplotype[from];
          candidates.forward.data_ptr<float>()[to] = of_target.forward[from];
          candidates.backward.data_ptr<float>()[to] = of_target.backward[from];
        }
      }
    }
    return candidates;
  }

  std::vector<const TargetHaplotype*> Targets() const {
    std::vector<const TargetHaplotype*> pointers;
    for (const TargetHaplotype& target : targets) pointers.push_back(&target);
    return pointers;
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  GeneticMap map = GeneticMap::Uniform();
  PanelWindow window;
  const TypedPanel& typed_panel;
  WindowTensors tensors;
  std::vector<TargetHaplotype> targets;
  std::vector<CopyCandidates> found;
};

// Every feature of every candidate. Targets are the two haplotypes of each study sample; or, of the last sample, one
// haplotype and one of another version of its phase.
void ExpectSameFeatures(const Fixture& fixture, bool last_has_other_version) {
  const auto count = static_cast<int64_t>(fixture.targets.size());
  const torch::Tensor sample = torch::arange(count, torch::kLong).div(2, "floor");
  torch::Tensor is_most_probable = torch::ones({count});
  if (last_has_other_version) is_most_probable[count - 1] = 0;
  CandidateTensors candidates = fixture.Candidates();
  AddSampleShares(fixture.tensors, {sample, is_most_probable, static_cast<int64_t>(kStudySamples)}, candidates);
  const torch::Tensor features =
      CopyFeaturesOf(fixture.tensors, TargetTensors(fixture.typed_panel, fixture.Targets(), torch::kCPU), candidates)
          .contiguous();

  Ancestry ancestry(fixture.typed_panel, fixture.window.populations());
  MatchFeatures kernels(fixture.typed_panel, ancestry);
  CopyFeatures expected;
  for (size_t s = 0; s < kStudySamples; ++s) {
    const size_t ploidy = last_has_other_version && s + 1 == kStudySamples ? 1 : 2;
    const std::span<const CopyCandidates> of_sample = std::span(fixture.found).subspan(2 * s, 2);
    ancestry.Estimate(of_sample.first(ploidy), of_sample.subspan(ploidy));
    for (size_t t = 2 * s; t < 2 * s + 2; ++t) {
      kernels.StartTarget(fixture.targets[t], fixture.found[t]);
      for (size_t a = 0; a < fixture.typed_panel.anchors().size(); ++a) {
        const size_t anchor = fixture.typed_panel.anchors()[a];
        kernels.Fill(anchor, expected);
        const float* row =
            features.data_ptr<float>() + (a * fixture.targets.size() + t) * kMaxCandidates * kNumCopyFeatures;
        for (size_t k = 0; k < fixture.found[t].count[anchor]; ++k) {
          for (size_t f = 0; f < kNumCopyFeatures; ++f) {
            ASSERT_NEAR(row[k * kNumCopyFeatures + f], expected.values[f][k], 2e-4)
                << "target " << t << ", anchor " << anchor << ", candidate " << k << ", feature " << f;
          }
        }
      }
    }
  }
}

TEST(CandidateFeatures, AreThoseOfTheKernels) {
  for (const uint64_t seed : {1, 2}) {
    const Fixture fixture(seed);
    ASSERT_GT(fixture.tensors.num_blocks, 3);
    ASSERT_NO_FATAL_FAILURE(ExpectSameFeatures(fixture, false));
    ASSERT_NO_FATAL_FAILURE(ExpectSameFeatures(fixture, true));
  }
}

// A part of the targets has the features that it has among all.
TEST(CandidateFeatures, DoNotDependOnOtherTargets) {
  const Fixture fixture(3);
  CandidateTensors candidates = fixture.Candidates();
  candidates.sample_share = candidates.population_share = torch::zeros_like(candidates.forward);
  const TargetTensors targets(fixture.typed_panel, fixture.Targets(), torch::kCPU);
  const torch::Tensor all = CopyFeaturesOf(fixture.tensors, targets, candidates);
  const torch::Tensor part = CopyFeaturesOf(fixture.tensors, targets.Narrow(3, 2), candidates.Narrow(3, 2));
  const torch::Tensor used = candidates.used.narrow(1, 3, 2).unsqueeze(-1);
  EXPECT_TRUE(torch::equal(all.narrow(1, 3, 2).masked_fill(~used, 0), part.masked_fill(~used, 0)));
}

}  // namespace
}  // namespace haplospin
