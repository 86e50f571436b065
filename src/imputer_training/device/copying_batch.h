// Many targets and their states as tensors: what the Li-Stephens recursions of all of them run over.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/typed_panel.h"
#include "imputer_training/device/packed_states.h"

namespace haplospin {

struct BatchTarget {
  const TargetHaplotype* target;
  const PackedStates* states;
  const CopyingModel* model;  // the switch probabilities are the same for all
};

// T targets with S states each: as many as the target with most, a multiple of 64. The haplotypes of the panel without
// a state are one more, column S. A state that a target does not have stands for 0 haplotypes.
struct CopyingBatch {
  CopyingBatch(const TypedPanel& panel, std::span<const BatchTarget> targets, torch::Device device);

  int64_t num_typed;
  int64_t num_targets;
  int64_t num_states;
  torch::Tensor packed;      // [typed, T, S / 8] the states' alleles, as bits of bytes
  torch::Tensor if_ref;      // [typed, T, 1] the probability of the target's allele if REF is copied
  torch::Tensor if_alt;      // [typed, T, 1] if ALT is copied
  torch::Tensor if_rest;     // [typed, T, 1] if a haplotype without a state is; all are 1 where the allele is missing
  torch::Tensor haplotypes;  // [T, S + 1] that each state stands for: 1, or 0; those without a state in the last column
  torch::Tensor num_copied;  // [T, 1] the haplotypes that can be copied
  torch::Tensor per_rest;    // [T] 1 / those without a state, or 0
  torch::Tensor switching;   // [typed + 1, 1, 1] the switch probability in each interval: 0 in the first and the last
  torch::Tensor alt_frequency;  // [typed, 1]

  // The haplotypes that states stand for in the intervals of anchors: [A, T, C], as `states`.
  torch::Tensor HaplotypesOf(const torch::Tensor& states, const torch::Tensor& anchors) const;

 private:
  void SetSegments(std::span<const BatchTarget> targets);

  // What states stand for from a typed marker on, state after state.
  torch::Tensor segment_begin_;      // [segments] (target * S + state) * (typed + 1) + typed marker, ascending
  torch::Tensor segment_haplotype_;  // [segments] int32
};

}  // namespace haplospin
