// The copy features (imputation/copying/match_features.h) of the candidates of many targets, as tensors on any device.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "imputation/copying/typed_panel.h"
#include "imputer_training/device/window_tensors.h"

namespace haplospin {

// The alleles of T targets at J typed markers.
struct TargetTensors {
  TargetTensors(const TypedPanel& panel, std::span<const TargetHaplotype* const> targets, torch::Device device);

  // Returns targets [first, first + count).
  TargetTensors Narrow(int64_t first, int64_t count) const;

  torch::Tensor bits;         // [T, bytes] alleles, as bits; missing ones are 0
  torch::Tensor observed;     // [T, bytes] bits: 1 where the allele is not missing
  torch::Tensor information;  // [T, J + 1] information of the alleles left of each typed marker

 private:
  TargetTensors() = default;
};

// The candidates of T targets: up to C in each of A anchors, in the first slots.
struct CandidateTensors {
  torch::Tensor used;                            // [A, T, C] bool: slots that hold a candidate
  torch::Tensor haplotype;                       // [A, T, C] int64
  torch::Tensor forward, backward;               // [A, T, C] copying probabilities
  torch::Tensor at_left, at_right;               // [A, T, C] as in CopyCandidates
  torch::Tensor sample_share, population_share;  // [A, T, C] logarithms, by AddSampleShares()

  CandidateTensors Narrow(int64_t first, int64_t count) const;
};

// Returns [A, T, C, kNumCopyFeatures], with arbitrary values in slots without a candidate.
torch::Tensor CopyFeaturesOf(const WindowTensors& window, const TargetTensors& targets,
                             const CandidateTensors& candidates);

// The targets of a group of study samples.
struct TargetSamples {
  torch::Tensor sample;            // [T] int64
  torch::Tensor is_most_probable;  // [T] 1 for haplotypes of the most probable phase, else 0
  int64_t num_samples;             // number of study samples
};

// Sets sample_share and population_share of the candidates: the shares of their panel samples in what the study samples
// copy (imputation/copying/ancestry.h).
void AddSampleShares(const WindowTensors& window, const TargetSamples& targets, CandidateTensors& candidates);

}  // namespace haplospin
