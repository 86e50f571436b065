// Imputes one study sample in one window. The path of a target haplotype: candidates, their features, attention over
// them, and the probability of each marker's minor allele.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "imputation/copying/ancestry.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/match_features.h"
#include "imputation/copying/state_selection.h"
#include "imputation/network/network_backend.h"
#include "imputation/network/window_alleles.h"
#include "imputation/sample_targets.h"
#include "imputation/window_dosages.h"

namespace haplospin {

// Data shared by all samples of a window.
struct WindowContext {
  const HaplotypePanel& panel;
  const TypedPanel& array;
  const CopyingModel& model;
  const PanelPopulations& populations;
  const WindowAlleles& alleles;
  const std::vector<MarkerFeatures>& marker_features;  // of alleles.begin() on
  const std::vector<uint32_t>& sample_of;              // of each reference haplotype
  NetworkBackend& network;
  const CopyingOptions& copying;
};

// Workspace of one thread.
class SampleImputer {
 public:
  explicit SampleImputer(const WindowContext& context);

  // Averages over the versions of the sample's phase. Its haplotypes are `first_haplotype` and the next of `dosages`;
  // those of its most probable phase are `first_selected` and the next of `selection`. The left-out markers of
  // `dosages` must be typed.
  void Impute(const SampleTargets& targets, const StateSelection& selection, size_t first_selected,
              size_t first_haplotype, WindowDosages& dosages);

 private:
  void FindCandidates(const SampleTargets& targets, const StateSelection& selection, size_t first_selected);
  void AddVersion(const PhaseVersion& version, size_t first_target);
  void ComputeMinorProbabilities(const TargetHaplotype& target, const CopyCandidates& candidates,
                                 const std::vector<float>& weight);
  void AddAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates);
  void Write(const TargetHaplotype& target, const std::vector<float>& minor, size_t haplotype,
             WindowDosages& dosages) const;
  void WriteLeftOut(const std::vector<float>& left_out, size_t haplotype, WindowDosages& dosages) const;

  const WindowContext& context_;
  CandidateFinder finder_;
  CopyingStates states_;
  std::vector<CopyCandidates> candidates_;    // [versions, haplotypes]
  std::vector<std::vector<float>> left_out_;  // [versions, haplotypes][typed] ALT probability given all other alleles
  Ancestry ancestry_;
  MatchFeatures match_features_;
  CopyFeatures features_;
  std::vector<CandidateMask> carriers_;
  std::unique_ptr<NetworkComputation> computation_;
  std::vector<float> minor_probability_;  // [markers] of one haplotype, at the markers to impute

  // Sums over the versions of a sample, by haplotype of its most probable phase.
  std::array<std::vector<float>, 2> minor_sum_;     // [markers]
  std::array<std::vector<float>, 2> left_out_sum_;  // [typed]
};

}  // namespace haplospin
