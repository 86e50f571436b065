#include "genotypes/imputation/models/copying/forward_backward.h"

#include "haplospin/errors.h"

namespace haplospin {

JointSums SumJointly(const CopyingStates& states, size_t j, const CopyState& forward, const CopyState& backward) {
  return {SumPairsByAllele(states.site_bits(j), states.size(), forward.values, backward.values),
          JointOfRest(states, forward, backward)};
}

float AltProbabilityWithoutOwnAllele(const TypedPanel& panel, const CopyingModel& model, uint8_t allele, size_t j,
                                     const JointSums& sums) {
  AlleleSums joint = sums.states;
  float rest = sums.rest;
  if (allele != kMissingAllele) {
    const float match = 1 - model.mismatch_probability, mismatch = model.mismatch_probability;
    const float one = allele == 1 ? match : mismatch, zero = allele == 1 ? mismatch : match;
    const float rest_allele = AlleleProbabilityOfRest(panel, model, allele, j);
    joint.one /= one * one;
    joint.zero /= zero * zero;
    rest /= rest_allele * rest_allele;
  }
  return (joint.one + rest * panel.frequency(j, 1)) / (joint.zero + joint.one + rest);
}

void ForwardBackward::Start(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                            const CopyingStates& states) {
  HS_ASSERT(target.alleles.size() == panel.num_typed() && states.size() > 0);
  panel_ = &panel;
  model_ = &model;
  target_ = &target;
  states_ = &states;
  n_ = states.size();
  const float even = 1.0f / static_cast<float>(states.num_copied());
  uniform_.assign(n_, even);
  uniform_state_ = {uniform_.data(), 1, even * static_cast<float>(states.num_without_state())};

  const size_t m = panel.num_typed();
  const size_t blocks = (m + kBlock - 1) / kBlock;
  checkpoints_.resize(blocks * n_);
  checkpoint_states_.resize(blocks);
  block_.resize(kBlock * n_);
  block_states_.resize(kBlock);
  backward_values_.resize(n_);
  backward_ = uniform_state_;

  // The states within a block overwrite each other: the one before the next block is kept.
  checkpoint_states_[0] = uniform_state_;
  for (size_t k = 0; k + 1 < blocks; ++k) {
    float* next = checkpoints_.data() + (k + 1) * n_;
    CopyState state = checkpoint_states_[k];
    for (size_t j = k * kBlock; j < (k + 1) * kBlock; ++j) {
      state = Step(state, j == 0 ? 0.0f : model.switch_probability[j - 1], j, next);
    }
    checkpoint_states_[k + 1] = state;
  }
}

void ForwardBackward::FillBlock(size_t begin, size_t end) {
  CopyState state = checkpoint_states_[begin / kBlock];
  for (size_t j = begin; j < end; ++j) {
    state = Step(state, j == 0 ? 0.0f : model_->switch_probability[j - 1], j, block_.data() + (j - begin) * n_);
    block_states_[j - begin] = state;
  }
}

void ForwardBackward::StepBackward(size_t j) {
  const float switching = j + 1 == panel_->num_typed() ? 0.0f : model_->switch_probability[j];
  backward_ = Step(backward_, switching, j, backward_values_.data());
}

CopyState ForwardBackward::Step(const CopyState& in, float switch_probability, size_t j, float* out) const {
  const Transition move = in.Move(switch_probability, states_->num_copied());
  const uint8_t allele = target_->alleles[j];
  CopyState result{out, 0, in.rest * move.keep + move.jump * static_cast<float>(states_->num_without_state())};
  if (allele == kMissingAllele) {
    result.sum = RunCopyStepWithoutAllele(move.keep, move.jump, n_, in.values, out);
  } else {
    const float mismatch = model_->mismatch_probability;
    result.sum = RunCopyStep({move.keep, move.jump, 1 - mismatch, mismatch}, states_->site_bits(j), allele == 1, n_,
                             in.values, out);
    result.rest *= AlleleProbabilityOfRest(*panel_, *model_, allele, j);
  }
  result.sum += result.rest;
  return result;
}

}  // namespace haplospin
