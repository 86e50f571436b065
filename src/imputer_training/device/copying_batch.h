// Many targets and their states as tensors: what the Li-Stephens recursions of all of them run over.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// The states of a target without the workspace of CopyingStates, which grows with the panel.
struct PackedStates {
  PackedStates(const CopyingStates& states, size_t num_typed);

  size_t size() const { return num_segments.size(); }

  size_t num_copied;         // haplotypes of the panel that can be copied
  size_t num_without_state;  // haplotypes that can be copied, but have no state
  size_t words;              // words of the bits at a typed marker

  std::vector<uint64_t> bits;          // [typed, words] bit s is the allele of state s
  std::vector<uint32_t> num_segments;  // [states]
  std::vector<StateSegment> segments;  // segments of all states, by state
};

struct BatchTarget {
  const TargetHaplotype* target;
  const PackedStates* states;
  const CopyingModel* model;  // with the same switch probabilities for all targets
};

// T targets with S states each, where S is a multiple of 64 for the target with most states. Column S stands for the
// panel haplotypes without a state. States that a target does not have stand for 0 haplotypes.
struct CopyingBatch {
  CopyingBatch(const TypedPanel& panel, std::span<const BatchTarget> targets, torch::Device device);

  int64_t num_typed;
  int64_t num_targets;
  int64_t num_states;
  torch::Tensor packed;      // [typed, T, S / 8] the states' alleles, as bits of bytes
  torch::Tensor if_ref;      // [typed, T, 1] the probability of the target's allele if REF is copied
  torch::Tensor if_alt;      // [typed, T, 1] if ALT is copied
  torch::Tensor if_rest;     // [typed, T, 1] if a haplotype without a state is; all are 1 where the allele is missing
  torch::Tensor haplotypes;  // [T, S + 1] number of haplotypes that a state stands for: 1 or 0, any in column S
  torch::Tensor num_copied;  // [T, 1] number of haplotypes that can be copied
  torch::Tensor per_rest;    // [T] 1 / number of haplotypes without a state, or 0
  torch::Tensor switching;   // [typed + 1, 1, 1] the switch probability in each interval: 0 in the first and the last
  torch::Tensor alt_frequency;  // [typed, 1]

  // Returns the haplotypes that `states` [A, T, C] stand for in the intervals of the anchors [A]: [A, T, C].
  torch::Tensor HaplotypesOf(const torch::Tensor& states, const torch::Tensor& anchors) const;

 private:
  void SetSegments(std::span<const BatchTarget> targets);

  // The haplotypes that states stand for from a typed marker on, by state.
  torch::Tensor segment_begin_;      // [segments] (target * S + state) * (typed + 1) + typed marker, ascending
  torch::Tensor segment_haplotype_;  // [segments] int32
};

}  // namespace haplospin
