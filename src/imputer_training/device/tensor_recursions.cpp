#include "imputer_training/device/tensor_recursions.h"

#include <algorithm>

#include "imputer_training/device/bit_tensors.h"

namespace haplospin {

TensorRecursions::TensorRecursions(const CopyingBatch& batch)
    : batch_(batch),
      num_blocks_((batch.num_typed + kBlock - 1) / kBlock),
      even_(1 / batch.num_copied * batch.haplotypes),
      staying_(1 - batch.switching),
      jump_(batch.switching / batch.num_copied),
      keep_(torch::empty_like(batch.num_copied)),
      jumps_(torch::empty_like(batch.haplotypes)) {
  const int64_t targets = batch.num_targets, states = batch.num_states;
  const auto floats = batch.haplotypes.options();
  checkpoints_ = torch::empty({num_blocks_, targets, states + 1}, floats);
  checkpoint_sums_ = torch::empty({num_blocks_, targets, 1}, floats);
  block_.emission = torch::empty({kBlock, targets, states + 1}, floats);
  for (torch::Tensor* values : {&block_.forward, &block_.backward}) {
    *values = torch::empty({kBlock + 1, targets, states + 1}, floats);
  }
  for (torch::Tensor* sums : {&block_.forward_sum, &block_.backward_sum}) {
    *sums = torch::empty({kBlock + 1, targets, 1}, floats);
  }
}

void TensorRecursions::Run(const std::function<void(const CopyingBlock&)>& visit) {
  checkpoints_[0].copy_(even_);
  checkpoint_sums_[0].fill_(1);
  for (int64_t b = 0; b + 1 < num_blocks_; ++b) {
    StartBlock(b);
    RunForward();
    checkpoints_[b + 1].copy_(block_.forward[block_.size()]);
    checkpoint_sums_[b + 1].copy_(block_.forward_sum[block_.size()]);
  }
  block_.backward[0].copy_(even_);
  block_.backward_sum[0].fill_(1);
  for (int64_t b = num_blocks_ - 1; b >= 0; --b) {
    StartBlock(b);
    RunForward();
    RunBackward();
    visit(block_);
  }
}

void TensorRecursions::StartBlock(int64_t index) {
  block_.begin = index * kBlock;
  block_.end = std::min(block_.begin + kBlock, batch_.num_typed);
  const auto of_block = [&](const torch::Tensor& values) { return values.slice(0, block_.begin, block_.end); };
  block_.is_alt = UnpackBits(of_block(batch_.packed));
  torch::Tensor emission = block_.emission.narrow(0, 0, block_.size());
  emission.narrow(2, 0, batch_.num_states)
      .copy_(torch::where(block_.is_alt, of_block(batch_.if_alt), of_block(batch_.if_ref)));
  emission.narrow(2, batch_.num_states, 1).copy_(of_block(batch_.if_rest));
}

void TensorRecursions::RunForward() {
  CopyingBlock& b = block_;
  b.forward[0].copy_(checkpoints_[b.begin / kBlock]);
  b.forward_sum[0].copy_(checkpoint_sums_[b.begin / kBlock]);
  for (int64_t k = 0; k < b.size(); ++k) {
    Step(b.forward[k], b.forward_sum[k], b.begin + k, b.emission[k], b.forward[k + 1], b.forward_sum[k + 1]);
  }
}

// Goes on from the first state of the block to the right.
void TensorRecursions::RunBackward() {
  CopyingBlock& b = block_;
  b.backward[b.size()].copy_(b.backward[0]);
  b.backward_sum[b.size()].copy_(b.backward_sum[0]);
  for (int64_t k = b.size() - 1; k >= 0; --k) {
    Step(b.backward[k + 1], b.backward_sum[k + 1], b.begin + k + 1, b.emission[k], b.backward[k], b.backward_sum[k]);
  }
}

// Moves the states of all targets through an interval and past a typed marker: a few operations in place, whatever the
// number of targets.
void TensorRecursions::Step(const torch::Tensor& in, const torch::Tensor& in_sum, int64_t interval,
                            const torch::Tensor& emission, torch::Tensor out, torch::Tensor out_sum) {
  torch::div_out(keep_, staying_[interval], in_sum);
  torch::mul_out(jumps_, batch_.haplotypes, jump_[interval]);
  torch::addcmul_out(out, jumps_, in, keep_);
  out.mul_(emission);
  torch::sum_out(out_sum, out, {1}, /*keepdim=*/true);
}

}  // namespace haplospin
