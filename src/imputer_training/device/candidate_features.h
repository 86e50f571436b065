// The copy features (imputation/copying/match_features.h) of the candidates of many targets, as tensors on any device.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "imputation/copying/typed_panel.h"
#include "imputer_training/device/window_tensors.h"

namespace haplospin {

// What is known of T targets at the typed markers.
struct TargetTensors {
  TargetTensors(const TypedPanel& array, std::span<const TargetHaplotype* const> targets, torch::Device device);

  // Of targets [first, first + count).
  TargetTensors Narrow(int64_t first, int64_t count) const;

  torch::Tensor bits;         // [T, bytes] alleles, as bits; missing ones are 0
  torch::Tensor observed;     // [T, bytes] 1 where not missing
  torch::Tensor information;  // [T, J + 1] matched left of each typed marker if all agree

 private:
  TargetTensors() = default;
};

// The candidates of T targets: up to C in each of A anchors, in the first slots.
struct CandidateTensors {
  torch::Tensor used;                            // [A, T, C] bool: slots that hold a candidate
  torch::Tensor haplotype;                       // [A, T, C] int64
  torch::Tensor forward, backward;               // [A, T, C] copying probabilities
  torch::Tensor at_left, at_right;               // [A, T, C] of CopyCandidates
  torch::Tensor sample_share, population_share;  // [A, T, C] logarithms (sample_shares.h)

  CandidateTensors Narrow(int64_t first, int64_t count) const;
};

// [A, T, C, kNumCopyFeatures]; anything where no candidate is.
torch::Tensor CopyFeaturesOf(const WindowTensors& window, const TargetTensors& targets,
                             const CandidateTensors& candidates);

}  // namespace haplospin
