#include "imputer_training/device/tensor_recursions.h"

#include <algorithm>

#include "imputer_training/device/bit_tensors.h"

namespace haplospin {
namespace {

using torch::Tensor;

// `out` may be `in`.
void Step(const Tensor& in, const Tensor& in_sum, const Tensor& stays, const Tensor& jumps, Tensor out,
          Tensor out_sum) {
  torch::mul_out(out, in, stays);
  torch::addcdiv_out(out, jumps, out, in_sum);
  torch::sum_out(out_sum, out, {-1}, /*keepdim=*/true);
}

Tensor PadFirst(const Tensor& values, int64_t size, double with) {
  return torch::constant_pad_nd(values, {0, 0, 0, 0, 0, size - values.size(0)}, with);
}

}  // namespace

// The last part is filled up with markers that change nothing.
TensorRecursions::TensorRecursions(const CopyingBatch& batch)
    : batch_(batch), num_parts_((batch.num_typed + kSteps - 1) / kSteps) {
  const int64_t targets = batch.num_targets, states = batch.num_states;
  const Tensor switching = PadFirst(batch.switching, num_parts_ * kSteps + 1, 0);
  staying_ = 1 - switching;
  jump_ = switching / batch.num_copied;
  const auto floats = batch.haplotypes.options();
  checkpoints_ = torch::empty({num_parts_, 2, targets, states + 1}, floats);
  checkpoint_sums_ = torch::empty({num_parts_, 2, targets, 1}, floats);
  const int64_t entries = std::min(kParts, num_parts_) * kSteps + 1;
  for (Tensor* values : {&block_.forward, &block_.backward})
    *values = torch::empty({entries, targets, states + 1}, floats);
  for (Tensor* sums : {&block_.forward_sum, &block_.backward_sum}) *sums = torch::empty({entries, targets, 1}, floats);
}

void TensorRecursions::Run(const std::function<void(const CopyingBlock&)>& visit) {
  FillCheckpoints();
  for (int64_t part = 0; part < num_parts_; part += kParts) {
    RunBlock(part);
    visit(block_);
  }
}

void TensorRecursions::FillCheckpoints() {
  const Tensor even = batch_.haplotypes / batch_.num_copied;
  Tensor state = torch::stack({even, even}), sum = torch::ones_like(checkpoint_sums_[0]);
  for (int64_t part = 0;; ++part) {
    checkpoints_[part].copy_(state);
    checkpoint_sums_[part].copy_(sum);
    if (part + 1 == num_parts_) return;
    const auto steps_of = [&](int64_t begin, Direction direction) {
      const int64_t end = begin + kSteps;
      return StepsOf(Emission(IsAlt(begin, end), begin, end), begin, direction);
    };
    const Steps right = steps_of(part * kSteps, Direction::kForward);
    const Steps left = steps_of((num_parts_ - 1 - part) * kSteps, Direction::kBackward);
    const Tensor stays = torch::stack({right.stays, left.stays.flip(0)}, 1);
    const Tensor jumps = torch::stack({right.jumps, left.jumps.flip(0)}, 1);
    for (int64_t k = 0; k < kSteps; ++k) Step(state, sum, stays[k], jumps[k], state, sum);
  }
}

void TensorRecursions::RunBlock(int64_t first_part) {
  const int64_t parts = std::min(kParts, num_parts_ - first_part);
  const int64_t begin = first_part * kSteps, end = begin + parts * kSteps;
  block_.begin = begin;
  block_.end = std::min(end, batch_.num_typed);
  const Tensor is_alt = IsAlt(begin, end), emission = Emission(is_alt, begin, end);
  block_.is_alt = is_alt.narrow(0, 0, block_.size());

  // An entry of each part.
  const auto of_parts = [&](const Tensor& all, int64_t k) {
    return all.slice(0, k, k + (parts - 1) * kSteps + 1, kSteps);
  };
  const auto checkpoints = [&](const Tensor& all, Direction direction) {
    return direction == Direction::kForward ? all.select(1, 0).narrow(0, first_part, parts)
                                            : all.select(1, 1).flip(0).narrow(0, first_part, parts);
  };
  const Steps right = StepsOf(emission, begin, Direction::kForward);
  of_parts(block_.forward, 0).copy_(checkpoints(checkpoints_, Direction::kForward));
  of_parts(block_.forward_sum, 0).copy_(checkpoints(checkpoint_sums_, Direction::kForward));
  for (int64_t k = 0; k < kSteps; ++k) {
    Step(of_parts(block_.forward, k), of_parts(block_.forward_sum, k), of_parts(right.stays, k),
         of_parts(right.jumps, k), of_parts(block_.forward, k + 1), of_parts(block_.forward_sum, k + 1));
  }
  const Steps left = StepsOf(emission, begin, Direction::kBackward);
  of_parts(block_.backward, kSteps).copy_(checkpoints(checkpoints_, Direction::kBackward));
  of_parts(block_.backward_sum, kSteps).copy_(checkpoints(checkpoint_sums_, Direction::kBackward));
  for (int64_t k = kSteps - 1; k >= 0; --k) {
    Step(of_parts(block_.backward, k + 1), of_parts(block_.backward_sum, k + 1), of_parts(left.stays, k),
         of_parts(left.jumps, k), of_parts(block_.backward, k), of_parts(block_.backward_sum, k));
  }
}

// [markers, T, S] of typed markers [begin, end).
Tensor TensorRecursions::IsAlt(int64_t begin, int64_t end) const {
  const Tensor packed = batch_.packed.slice(0, begin, std::min(end, batch_.num_typed));
  return UnpackBits(PadFirst(packed, end - begin, 0));
}

// [markers, T, S + 1] the probability of the target's allele.
Tensor TensorRecursions::Emission(const Tensor& is_alt, int64_t begin, int64_t end) const {
  const auto of_markers = [&](const Tensor& all) {
    return PadFirst(all.slice(0, begin, std::min(end, batch_.num_typed)), end - begin, 1);
  };
  return torch::cat(
      {torch::where(is_alt, of_markers(batch_.if_alt), of_markers(batch_.if_ref)), of_markers(batch_.if_rest)}, -1);
}

// Through the interval before each marker, as seen from the direction, and past the marker.
TensorRecursions::Steps TensorRecursions::StepsOf(const Tensor& emission, int64_t begin, Direction direction) const {
  const int64_t first = begin + (direction == Direction::kForward ? 0 : 1), count = emission.size(0);
  return {emission * staying_.narrow(0, first, count), emission * batch_.haplotypes * jump_.narrow(0, first, count)};
}

}  // namespace haplospin
