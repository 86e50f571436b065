// Imputes study samples in one window. The path of a target haplotype: candidates, their features, attention over them,
// and the probability of each marker's minor allele.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "imputation/copying/ancestry.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/match_features.h"
#include "imputation/copying/state_selection.h"
#include "imputation/linkage/marker_regression.h"
#include "imputation/network/network_backend.h"
#include "imputation/network/window_alleles.h"
#include "imputation/samples/sample_targets.h"
#include "imputation/stage_times.h"
#include "imputation/window_dosages.h"

namespace haplospin {

// Data shared by all samples of a window.
struct WindowContext {
  const HaplotypePanel& panel;
  const TypedPanel& array;
  const CopyingModel& model;
  const PanelPopulations& populations;
  const WindowAlleles& alleles;
  const WindowRegression& regression;
  const std::vector<MarkerFeatures>& marker_features;  // of alleles.begin() on
  const std::vector<uint32_t>& sample_of;              // of each reference haplotype
  NetworkBackend& network;
  const CopyingOptions& copying;
  StageTimes& times;
};

// A sample to impute: its haplotypes are `first_haplotype` and the next of the dosages; those of its most probable
// phase are `first_selected` and the next of a selection of states.
struct WindowSample {
  const SampleTargets* targets;
  size_t first_selected;
  size_t first_haplotype;

  size_t ploidy() const { return targets->most_probable().size(); }

  // Its targets are the haplotypes of the versions of its phase, one version after the other.
  size_t num_targets() const { return targets->versions.size() * ploidy(); }
  const PhaseVersion& version(size_t target) const { return targets->versions[target / ploidy()]; }
  const TargetHaplotype& haplotype(size_t target) const { return version(target).haplotypes[target % ploidy()]; }
};

// What the copying model finds for a sample, target by target: [versions, haplotypes].
struct SampleCandidates {
  std::vector<CopyCandidates> candidates;
  std::vector<std::vector<float>> left_out;  // [typed] ALT probability given all other alleles

  // At least `count` targets: memory is kept.
  void Reserve(size_t count, size_t typed);
};

// Workspace of one thread.
class SampleImputer {
 public:
  explicit SampleImputer(const WindowContext& context);

  // Finds the candidates of a sample, and imputes it.
  void Impute(const WindowSample& sample, const StateSelection& selection, WindowDosages& dosages);

  // Imputes samples with candidates that have been found; the network computes all of them together. Averages over the
  // versions of a sample's phase. The left-out markers of `dosages` must be typed.
  void Impute(std::span<const WindowSample> samples, std::span<const SampleCandidates> found, WindowDosages& dosages);

 private:
  void FindCandidates(const WindowSample& sample, const StateSelection& selection);
  void AddToNetwork(const WindowSample& sample, const SampleCandidates& found, size_t first_target);
  void AddTarget(const TargetHaplotype& target, const CopyCandidates& candidates, const std::vector<float>& weight,
                 std::vector<float>& minor_probability);
  void AddAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates,
                 std::vector<float>& minor_probability);
  void WriteSample(const WindowSample& sample, const SampleCandidates& found, size_t first_target,
                   WindowDosages& dosages);
  void SumVersion(const PhaseVersion& version, std::span<const std::vector<float>> minor_probability,
                  std::span<const std::vector<float>> left_out);
  void Write(const TargetHaplotype& target, const std::vector<float>& minor, size_t haplotype, WindowDosages& dosages);
  void WriteLeftOut(const std::vector<float>& left_out, size_t haplotype, WindowDosages& dosages) const;

  const WindowContext& context_;
  CandidateFinder finder_;
  CopyingStates states_;
  SampleCandidates found_;
  Ancestry ancestry_;
  MatchFeatures match_features_;
  CopyFeatures features_;
  std::vector<float> centered_;  // [typed] alleles of the target, for the regression
  std::vector<CandidateMask> carriers_;
  std::unique_ptr<NetworkComputation> computation_;
  std::vector<std::vector<float>> minor_probability_;  // [samples, versions, haplotypes][markers to impute]

  // Sums over the versions of a sample, by haplotype of its most probable phase.
  std::array<std::vector<float>, 2> minor_sum_;     // [markers]
  std::array<std::vector<float>, 2> left_out_sum_;  // [typed]

  std::vector<float> alt_;  // [markers] of the haplotype that is written
};

}  // namespace haplospin
