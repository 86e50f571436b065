#include "imputation/copying/forward_backward.h"

#include "haplospin/errors.h"

namespace haplospin {

void ForwardBackward::Start(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                            const ExcludedHaplotypes& excluded) {
  HS_ASSERT(target.alleles.size() == panel.num_typed() && panel.num_haplotypes() > excluded.count);
  panel_ = &panel;
  model_ = &model;
  target_ = &target;
  excluded_ = excluded;
  n_ = panel.num_haplotypes();
  uniform_.assign(n_, 1.0f / static_cast<float>(num_copied()));
  for (uint32_t h : excluded.span()) uniform_[h] = 0;

  const size_t m = panel.num_typed();
  const size_t blocks = (m + kBlock - 1) / kBlock;
  checkpoints_.resize(blocks * n_);
  checkpoint_sums_.resize(blocks);
  block_.resize(kBlock * n_);
  block_sums_.resize(kBlock);
  backward_values_.resize(n_);
  backward_ = {uniform_.data(), 1.0f};

  // Only the states just before each block are kept; those within are overwritten.
  std::copy(uniform_.begin(), uniform_.end(), checkpoints_.begin());
  checkpoint_sums_[0] = 1;
  for (size_t k = 0; k + 1 < blocks; ++k) {
    float* next = checkpoints_.data() + (k + 1) * n_;
    CopyState state{checkpoints_.data() + k * n_, checkpoint_sums_[k]};
    for (size_t j = k * kBlock; j < (k + 1) * kBlock; ++j) {
      const float switching = j == 0 ? 0.0f : model.switch_probability[j - 1];
      state = {next, Step(state, switching, j, next)};
    }
    checkpoint_sums_[k + 1] = state.sum;
  }
}

void ForwardBackward::FillBlock(size_t begin, size_t end) {
  const size_t k = begin / kBlock;
  CopyState state{checkpoints_.data() + k * n_, checkpoint_sums_[k]};
  for (size_t j = begin; j < end; ++j) {
    float* out = block_.data() + (j - begin) * n_;
    const float switching = j == 0 ? 0.0f : model_->switch_probability[j - 1];
    state = {out, Step(state, switching, j, out)};
    block_sums_[j - begin] = state.sum;
  }
}

void ForwardBackward::StepBackward(size_t j) {
  const float switching = j + 1 == panel_->num_typed() ? 0.0f : model_->switch_probability[j];
  float* out = backward_values_.data();
  backward_ = {out, Step(backward_, switching, j, out)};
}

float ForwardBackward::Step(const CopyState& in, float switch_probability, size_t j, float* out) const {
  const HalfStep move = in.Move(switch_probability, num_copied());
  const uint8_t allele = target_->alleles[j];
  float sum;
  if (allele == kMissingAllele) {
    sum = RunCopyStepWithoutAllele(move.keep, move.jump, n_, in.values, out);
  } else {
    const float mismatch = model_->mismatch_probability;
    sum = RunCopyStep({move.keep, move.jump, 1 - mismatch, mismatch}, panel_->site_bits(j), allele == 1, n_, in.values,
                      out);
  }
  for (uint32_t h : excluded_.span()) {
    sum -= out[h];
    out[h] = 0;
  }
  return sum;
}

}  // namespace haplospin
