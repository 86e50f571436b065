// The Li-Stephens copying model (Li and Stephens 2003, Genetics 165:2213) and its recursions over the states of a
// target, one interval after the other, in little memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_kernels.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

struct CopyingModel {
  std::vector<float> switch_probability;  // [typed - 1] probability that the copied haplotype changes after marker j
  float mismatch_probability = 0;         // probability of an allele other than the copied haplotype's
  float multiplier = 1;                   // factor by which the estimated switch probabilities were multiplied
};

// Copying probabilities of the states at a typed marker whose allele was seen, times `sum`. Haplotypes without a state
// have equal probabilities, and are assumed to have the target's allele as often as all haplotypes of the panel.
struct CopyState {
  const float* values = nullptr;  // [states]
  float sum = 1;
  float rest = 0;  // total of the haplotypes without a state

  // Returns the transition over a gap with this switch probability, which also normalizes the sum to 1.
  Transition Move(float switch_probability, size_t num_haplotypes) const {
    return {(1 - switch_probability) / sum, switch_probability / static_cast<float>(num_haplotypes)};
  }
};

// Returns the probability that a haplotype without a state emits this allele at typed marker j.
inline float AlleleProbabilityOfRest(const TypedPanel& panel, const CopyingModel& model, int allele, size_t j) {
  const float frequency = panel.frequency(j, allele), mismatch = model.mismatch_probability;
  return frequency * (1 - mismatch) + (1 - frequency) * mismatch;
}

// Returns the sum of forward * backward over the haplotypes without a state.
inline float JointOfRest(const CopyingStates& states, const CopyState& forward, const CopyState& backward) {
  const size_t count = states.num_without_state();
  return count == 0 ? 0.0f : forward.rest * backward.rest / static_cast<float>(count);
}

// Sums of forward * backward at a typed marker, over the states with each allele and over the other haplotypes.
struct JointSums {
  AlleleSums states;
  float rest;
};
JointSums SumJointly(const CopyingStates& states, size_t j, const CopyState& forward, const CopyState& backward);

// Returns the probability of ALT at typed marker j given every other allele of the target. The forward and the backward
// state of `sums` both include the target's `allele` at marker j, whose factor is divided out of each.
float AltProbabilityWithoutOwnAllele(const TypedPanel& panel, const CopyingModel& model, uint8_t allele, size_t j,
                                     const JointSums& sums);

// The workspace of one thread. The forward pass keeps every kBlock-th state and is run again block by block when the
// backward pass arrives there, so memory is (typed / kBlock + kBlock) * states. The arguments of Run() must outlive the
// call only.
class ForwardBackward {
 public:
  // Calls visit(interval, forward, backward) for the intervals from the last to the first, with the forward state at
  // the typed marker left of the interval and the backward state at the one right of it. At the ends of the window the
  // state is uniform.
  template <typename Visitor>
  void Run(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
           const CopyingStates& states, Visitor&& visit) {
    Run(panel, model, target, states, visit, [](size_t, const CopyState&, const CopyState&) {});
  }

  // Calls visit_typed(j, forward, backward) as well for each typed marker j, between the intervals on its right and on
  // its left, with both states at the marker.
  template <typename Visitor, typename TypedVisitor>
  void Run(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
           const CopyingStates& states, Visitor&& visit, TypedVisitor&& visit_typed) {
    Start(panel, model, target, states);
    ForEachBlock(panel.num_typed(), [&](size_t begin, size_t end) {
      FillBlock(begin, end);
      for (size_t i = end; i > begin; --i) {
        visit(i, block_states_[i - 1 - begin], backward_);
        StepBackward(i - 1);
        visit_typed(i - 1, block_states_[i - 1 - begin], backward_);
      }
    });
    visit(size_t{0}, uniform_state_, backward_);
  }

  // Runs the recursions of two targets with the same states. Calls visit(interval, forward of the first, backward of
  // the first, forward of the second, backward of the second).
  template <typename Visitor>
  static void RunBoth(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& first,
                      const TargetHaplotype& second, const CopyingStates& states, ForwardBackward& one,
                      ForwardBackward& other, Visitor&& visit) {
    one.Start(panel, model, first, states);
    other.Start(panel, model, second, states);
    ForEachBlock(panel.num_typed(), [&](size_t begin, size_t end) {
      for (ForwardBackward* recursions : {&one, &other}) recursions->FillBlock(begin, end);
      for (size_t i = end; i > begin; --i) {
        visit(i, one.block_states_[i - 1 - begin], one.backward_, other.block_states_[i - 1 - begin], other.backward_);
        for (ForwardBackward* recursions : {&one, &other}) recursions->StepBackward(i - 1);
      }
    });
  }

 private:
  static constexpr size_t kBlock = 32;

  // Calls visit(begin, end) for the blocks of typed markers from the last to the first.
  template <typename Visitor>
  static void ForEachBlock(size_t num_typed, Visitor&& visit) {
    for (size_t end = num_typed; end > 0;) {
      const size_t begin = (end - 1) / kBlock * kBlock;
      visit(begin, end);
      end = begin;
    }
  }

  void Start(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
             const CopyingStates& states);
  void FillBlock(size_t begin, size_t end);
  void StepBackward(size_t j);  // moves the backward state to typed marker j
  CopyState Step(const CopyState& in, float switch_probability, size_t j, float* out) const;

  const TypedPanel* panel_ = nullptr;
  const CopyingModel* model_ = nullptr;
  const TargetHaplotype* target_ = nullptr;
  const CopyingStates* states_ = nullptr;
  size_t n_ = 0;  // number of states
  std::vector<float> uniform_;
  CopyState uniform_state_;
  std::vector<float> checkpoints_;  // [blocks, states] the forward state just before each block
  std::vector<CopyState> checkpoint_states_;
  std::vector<float> block_;  // [kBlock, states]
  std::vector<CopyState> block_states_;
  std::vector<float> backward_values_;
  CopyState backward_;
};

}  // namespace haplospin
