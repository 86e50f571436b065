// The Li-Stephens recursions over the states of a target, one interval after the other, in little memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_kernels.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// Copying probabilities of the states just past a typed marker (its allele seen), times `sum`. Haplotypes without a
// state have equal probabilities, and are assumed to have the target's allele as often as all haplotypes of the panel.
struct CopyState {
  const float* values = nullptr;  // [states]
  float sum = 1;
  float rest = 0;  // total of the haplotypes without a state

  // Moves them `switch_probability` further and normalizes their sum to 1.
  Transition Move(float switch_probability, size_t num_haplotypes) const {
    return {(1 - switch_probability) / sum, switch_probability / static_cast<float>(num_haplotypes)};
  }
};

// The probability that a haplotype without a state has an allele of the target at typed marker j.
inline float AlleleProbabilityOfRest(const TypedPanel& panel, const CopyingModel& model, int allele, size_t j) {
  const float frequency = panel.frequency(j, allele), mismatch = model.mismatch_probability;
  return frequency * (1 - mismatch) + (1 - frequency) * mismatch;
}

// The sum of forward * backward over the haplotypes without a state.
inline float JointOfRest(const CopyingStates& states, const CopyState& forward, const CopyState& backward) {
  const size_t count = states.num_without_state();
  return count == 0 ? 0.0f : forward.rest * backward.rest / static_cast<float>(count);
}

// Workspace of one thread. The forward pass keeps every kBlock-th state and is run again block by block as the backward
// pass comes by, so memory is (typed / kBlock + kBlock) x states.
class ForwardBackward {
 public:
  // visit(interval, forward, backward) sees the intervals from the last to the first: the forward state at the typed
  // marker before it and the backward state at the one after it. At the ends of the window the state is uniform.
  template <typename Visitor>
  void Run(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
           const CopyingStates& states, Visitor&& visit) {
    Run(panel, model, target, states, visit, [](size_t, const CopyState&, const CopyState&) {});
  }

  // visit_typed(j, forward, backward) sees each typed marker j, between its intervals, with both states at it.
  template <typename Visitor, typename TypedVisitor>
  void Run(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
           const CopyingStates& states, Visitor&& visit, TypedVisitor&& visit_typed) {
    Start(panel, model, target, states);
    ForEachBlock(panel.num_typed(), [&](size_t begin, size_t end) {
      FillBlock(begin, end);
      for (size_t i = end; i > begin; --i) {
        visit(i, BlockState(i - 1 - begin), backward_);
        StepBackward(i - 1);
        visit_typed(i - 1, BlockState(i - 1 - begin), backward_);
      }
    });
    visit(size_t{0}, uniform_state_, backward_);
  }

  // The same of two targets with the same states: visit(interval, forward and backward of one, those of the other).
  template <typename Visitor>
  static void RunBoth(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& first,
                      const TargetHaplotype& second, const CopyingStates& states, ForwardBackward& one,
                      ForwardBackward& other, Visitor&& visit) {
    one.Start(panel, model, first, states);
    other.Start(panel, model, second, states);
    ForEachBlock(panel.num_typed(), [&](size_t begin, size_t end) {
      for (ForwardBackward* recursions : {&one, &other}) recursions->FillBlock(begin, end);
      for (size_t i = end; i > begin; --i) {
        visit(i, one.BlockState(i - 1 - begin), one.backward_, other.BlockState(i - 1 - begin), other.backward_);
        for (ForwardBackward* recursions : {&one, &other}) recursions->StepBackward(i - 1);
      }
    });
  }

 private:
  static constexpr size_t kBlock = 32;

  // visit(begin, end) sees the blocks of typed markers from the last to the first.
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
  void StepBackward(size_t j);  // past typed marker j
  CopyState Step(const CopyState& in, float switch_probability, size_t j, float* out) const;
  const CopyState& BlockState(size_t k) const { return block_states_[k]; }

  const TypedPanel* panel_ = nullptr;
  const CopyingModel* model_ = nullptr;
  const TargetHaplotype* target_ = nullptr;
  const CopyingStates* states_ = nullptr;
  size_t n_ = 0;  // states
  std::vector<float> uniform_;
  CopyState uniform_state_;
  std::vector<float> checkpoints_;  // [blocks][states]: the state just before each block
  std::vector<CopyState> checkpoint_states_;
  std::vector<float> block_;  // [kBlock][states]
  std::vector<CopyState> block_states_;
  std::vector<float> backward_values_;
  CopyState backward_;
};

}  // namespace haplospin
