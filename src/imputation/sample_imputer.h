// Imputes one study sample in one window. The path of a target haplotype: candidates, their features, attention over
// them, and the probability of each marker's minor allele.
#pragma once

#include <cstdint>
#include <vector>

#include "imputation/copying/ancestry.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/match_features.h"
#include "imputation/network/allele_batch.h"
#include "imputation/network/network_inputs.h"
#include "imputation/network/network_kernels.h"
#include "imputation/network/window_alleles.h"

namespace haplospin {

// What all samples of a window share.
struct WindowContext {
  const HaplotypePanel& panel;
  const TypedPanel& array;
  const CopyingModel& model;
  const PanelPopulations& populations;
  const WindowAlleles& alleles;
  const std::vector<MarkerFeatures>& marker_features;  // of alleles.begin() on
  const std::vector<uint32_t>& sample_of;              // of each reference haplotype
  const PackedMlp& copy_network;
  const PackedMlp& allele_network;
  const ImputerWeights& weights;
  NetworkBackend* backend;  // null: the kernels here
};

// Workspace of one thread.
class SampleImputer {
 public:
  explicit SampleImputer(const WindowContext& context);

  // `targets`: the sample's one or two haplotypes; `out`: a row of ALT probabilities in 1/65535 for each, as
  // WindowDosages has them.
  void Impute(const std::vector<TargetHaplotype>& targets, const std::vector<uint16_t*>& out);

 private:
  void Write(size_t marker, float minor_probability, uint16_t* out) const;
  void RunBackend(uint16_t* out);
  void WriteLeftOut(const TargetHaplotype& target, const std::vector<float>& left_out, uint16_t* out) const;
  void ImputeHaplotype(const TargetHaplotype& target, const CopyCandidates& candidates, uint16_t* out);
  void ImputeAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates, uint16_t* out);

  const WindowContext& context_;
  CandidateFinder finder_;
  std::vector<CopyCandidates> candidates_;    // of each haplotype
  std::vector<std::vector<float>> left_out_;  // [haplotypes][typed] ALT probability given all other alleles
  Ancestry ancestry_;
  MatchFeatures match_features_;
  CopyFeatures features_;
  CopyAttention attention_;
  MlpScratch scratch_;
  float panel_share_;
  AlleleBatch batch_;
  std::vector<uint8_t> slot_of_;
  std::vector<CandidateMask> carriers_;
  NetworkInputs inputs_;         // for the backend: of one haplotype,
  std::vector<size_t> waiting_;  // and their markers
};

}  // namespace haplospin
