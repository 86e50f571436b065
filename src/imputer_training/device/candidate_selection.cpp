#include "imputer_training/device/candidate_selection.h"

#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/typed_panel.h"
#include "imputer_training/device/window_tensors.h"

namespace haplospin {
namespace {

using torch::Tensor;

// The probabilities of the states at a block of typed markers. An entry of `forward` or `backward` is the distribution
// just past a typed marker, including its allele, times its sum; at the ends of the window, that of no markers.
struct CopyingBlock {
  int64_t begin;  // typed markers [begin, end): n of them
  int64_t end;
  Tensor is_alt;                  // [n, T, S] the states' alleles
  Tensor forward, forward_sum;    // [at least n + 1, T, S + 1], [.., T, 1]; entry k is past marker begin + k - 1
  Tensor backward, backward_sum;  // like forward, from the right; entry k is past marker begin + k

  int64_t size() const { return end - begin; }
};

// The Li-Stephens recursions of many targets at the same time: what ForwardBackward is for one target.
//
// A GPU needs longer to start an operation than to do it, so there are few of them, whatever the number of targets.
// The first pass runs in both directions at the same time and keeps the states before each part of kSteps markers. The
// second one starts from these and runs through all parts of a block at the same time.
class TensorRecursions {
 public:
  // The batch must outlive the recursions.
  explicit TensorRecursions(const CopyingBatch& batch);

  // Calls visit(block) for the blocks of the window in ascending order.
  void Run(const std::function<void(const CopyingBlock&)>& visit);

 private:
  static constexpr int64_t kSteps = 16;  // typed markers of a part
  static constexpr int64_t kParts = 4;   // parts of a block

  // Steps past typed markers: a distribution becomes jumps + stays * distribution / its sum.
  struct Steps {
    Tensor stays, jumps;  // [markers, T, S + 1]
  };
  enum class Direction { kForward, kBackward };

  void FillCheckpoints();
  void RunBlock(int64_t first_part);
  Tensor IsAlt(int64_t begin, int64_t end) const;
  Tensor Emission(const Tensor& is_alt, int64_t begin, int64_t end) const;
  Steps StepsOf(const Tensor& emission, int64_t begin, Direction direction) const;

  const CopyingBatch& batch_;
  int64_t num_parts_;
  Tensor staying_;                        // [intervals, 1, 1] 1 - switch probability
  Tensor jump_;                           // [intervals, T, 1] the probability of switching to one haplotype
  Tensor checkpoints_, checkpoint_sums_;  // [parts, 2, T, S + 1], [.., 1]: before the parts of each direction
  CopyingBlock block_;
};

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

  // Returns entry k of each part.
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

// Returns the states' alleles at typed markers [begin, end): [markers, T, S].
Tensor TensorRecursions::IsAlt(int64_t begin, int64_t end) const {
  const Tensor packed = batch_.packed.slice(0, begin, std::min(end, batch_.num_typed));
  return UnpackBits(PadFirst(packed, end - begin, 0));
}

// Returns the probability of the target's allele at typed markers [begin, end): [markers, T, S + 1].
Tensor TensorRecursions::Emission(const Tensor& is_alt, int64_t begin, int64_t end) const {
  const auto of_markers = [&](const Tensor& all) {
    return PadFirst(all.slice(0, begin, std::min(end, batch_.num_typed)), end - begin, 1);
  };
  return torch::cat(
      {torch::where(is_alt, of_markers(batch_.if_alt), of_markers(batch_.if_ref)), of_markers(batch_.if_rest)}, -1);
}

// Returns the steps through the interval before each marker, as seen from the direction, and past the marker.
TensorRecursions::Steps TensorRecursions::StepsOf(const Tensor& emission, int64_t begin, Direction direction) const {
  const int64_t first = begin + (direction == Direction::kForward ? 0 : 1), count = emission.size(0);
  return {emission * staying_.narrow(0, first, count), emission * batch_.haplotypes * jump_.narrow(0, first, count)};
}

// Chooses the best states from the recursions as they pass by, on the same device.
class CandidateSelection {
 public:
  // The panel and the batch must outlive the selection.
  CandidateSelection(const TypedPanel& panel, const CopyingBatch& batch, float min_product);

  void Visit(const CopyingBlock& block);

  // The candidates in the blocks that were visited.
  const SelectedCandidates& selected() const { return selected_; }

 private:
  struct Ends;

  void SelectBest(const Ends& ends, int64_t first_anchor);
  Tensor LeftOut(const CopyingBlock& block) const;
  int64_t AnchorsBefore(int64_t interval) const;

  const TypedPanel& panel_;
  const CopyingBatch& batch_;
  float min_product_;
  int64_t max_count_;
  Tensor anchors_;      // [A] intervals
  Tensor switching_;    // [A, 1, 1] switch probability of an anchor's interval
  Tensor state_order_;  // [S] descending
  SelectedCandidates selected_;
};

// Copying probabilities of the states at the left and the right typed marker of some anchors.
struct CandidateSelection::Ends {
  Tensor forward, backward;  // [entries, T, S] normalized
  Tensor jump;               // [entries, T, S] to a state by a switch
  Tensor switching;          // [entries, 1, 1] from one end to the other

  // The probabilities moved to the middle of the interval, or to its other end.
  Tensor HalfForward() const { return Move(forward, 1 - (1 - switching).sqrt()); }
  Tensor HalfBackward() const { return Move(backward, 1 - (1 - switching).sqrt()); }
  Tensor WholeForward() const { return Move(forward, switching); }
  Tensor WholeBackward() const { return Move(backward, switching); }

  Ends Of(const Tensor& states) const {
    const auto part = [&](const Tensor& all) { return all.gather(-1, states); };
    return {.forward = part(forward), .backward = part(backward), .jump = part(jump), .switching = switching};
  }

 private:
  Tensor Move(const Tensor& values, const Tensor& switch_probability) const {
    return torch::addcmul(switch_probability * jump, values, 1 - switch_probability);
  }
};

CandidateSelection::CandidateSelection(const TypedPanel& panel, const CopyingBatch& batch, float min_product)
    : panel_(panel),
      batch_(batch),
      min_product_(min_product),
      max_count_(std::min(static_cast<int64_t>(kMaxCandidates), batch.num_states)) {
  const std::vector<int64_t> intervals(panel.anchors().begin(), panel.anchors().end());
  anchors_ = torch::tensor(intervals, torch::kLong).to(batch.haplotypes.device());
  switching_ = batch.switching.index_select(0, anchors_);
  state_order_ = torch::arange(batch.num_states - 1, -1, -1, anchors_.options());
  const auto anchors = static_cast<int64_t>(intervals.size());
  const auto floats = batch.haplotypes.options();
  selected_.count = torch::empty({anchors, batch.num_targets}, floats.dtype(torch::kInt));
  selected_.state = torch::empty({anchors, batch.num_targets, max_count_}, floats.dtype(torch::kInt));
  selected_.forward = torch::empty({anchors, batch.num_targets, max_count_}, floats);
  for (Tensor* values : {&selected_.backward, &selected_.at_left, &selected_.at_right}) {
    *values = torch::empty_like(selected_.forward);
  }
  selected_.left_out = torch::empty({batch.num_typed, batch.num_targets}, floats);
}

// A block has the intervals on the left of its typed markers; the last block also has the last interval.
void CandidateSelection::Visit(const CopyingBlock& block) {
  selected_.left_out.slice(0, block.begin, block.end).copy_(LeftOut(block));
  const int64_t first = AnchorsBefore(block.begin);
  const int64_t last = AnchorsBefore(block.end == batch_.num_typed ? block.end + 1 : block.end);
  if (first == last) return;
  const Tensor entries = anchors_.slice(0, first, last) - block.begin;
  const auto normalized = [&](const Tensor& values, const Tensor& sums) {
    return values.narrow(2, 0, batch_.num_states).index_select(0, entries) / sums.index_select(0, entries);
  };
  const Tensor jump = batch_.haplotypes.narrow(1, 0, batch_.num_states) / batch_.num_copied;
  SelectBest({.forward = normalized(block.forward, block.forward_sum),
              .backward = normalized(block.backward, block.backward_sum),
              .jump = jump.unsqueeze(0).expand({last - first, -1, -1}),
              .switching = switching_.slice(0, first, last)},
             first);
}

// Chooses the states with the largest products, and the first ones of equal products. Products are not negative, so
// that they have the order of their bits.
void CandidateSelection::SelectBest(const Ends& ends, int64_t first_anchor) {
  const Tensor products = ends.HalfForward() * ends.HalfBackward();
  const Tensor keys = products.view(torch::kInt).to(torch::kLong).mul_(batch_.num_states).add_(state_order_);
  const Tensor best = std::get<0>(keys.topk(max_count_, -1, /*largest=*/true, /*sorted=*/false));
  const Tensor states = batch_.num_states - 1 - best.remainder(batch_.num_states);
  const Tensor is_candidate = products.gather(-1, states) > min_product_ * products.amax({-1}, /*keepdim=*/true);
  // States that are no candidates come last.
  const Tensor ascending = std::get<0>(states.masked_fill(~is_candidate, batch_.num_states).sort(-1));
  const Tensor is_candidate_slot = ascending < batch_.num_states;
  const Tensor existing = ascending.clamp_max(batch_.num_states - 1);
  const auto of_anchors = [&](const Tensor& all) { return all.narrow(0, first_anchor, products.size(0)); };
  of_anchors(selected_.count).copy_(is_candidate.sum(-1));
  of_anchors(selected_.state).copy_(existing);
  const Ends best_ends = ends.Of(existing);
  const Tensor forward = best_ends.HalfForward(), backward = best_ends.HalfBackward();
  of_anchors(selected_.forward).copy_(forward * batch_.num_copied);
  of_anchors(selected_.backward).copy_(backward * batch_.num_copied);
  const auto relative_to_middle = [&](const Tensor& products_at_end) {
    return torch::where(is_candidate_slot, products_at_end / (forward * backward), 0);
  };
  of_anchors(selected_.at_left).copy_(relative_to_middle(best_ends.forward * best_ends.WholeBackward()));
  of_anchors(selected_.at_right).copy_(relative_to_middle(best_ends.WholeForward() * best_ends.backward));
}

// Divides out the factor of the target's allele, which both `forward` and `backward` include.
Tensor CandidateSelection::LeftOut(const CopyingBlock& block) const {
  const Tensor joint = block.forward.narrow(0, 1, block.size()) * block.backward.narrow(0, 0, block.size());
  const Tensor of_states = joint.narrow(2, 0, batch_.num_states);
  const auto without_own = [&](const Tensor& sum, const Tensor& factor) {
    return sum / factor.slice(0, block.begin, block.end).squeeze(-1).square();
  };
  const Tensor alt = without_own(of_states.masked_fill(~block.is_alt, 0).sum(-1), batch_.if_alt);
  const Tensor ref = without_own(of_states.masked_fill(block.is_alt, 0).sum(-1), batch_.if_ref);
  const Tensor rest = without_own(joint.select(2, batch_.num_states) * batch_.per_rest, batch_.if_rest);
  return (alt + rest * batch_.alt_frequency.slice(0, block.begin, block.end)) / (ref + alt + rest);
}

int64_t CandidateSelection::AnchorsBefore(int64_t interval) const {
  const auto anchors = panel_.anchors();
  return std::ranges::lower_bound(anchors, static_cast<uint32_t>(interval)) - anchors.begin();
}

}  // namespace

SelectedCandidates SelectCandidates(const TypedPanel& panel, const CopyingBatch& batch, float min_product) {
  CandidateSelection selection(panel, batch, min_product);
  TensorRecursions(batch).Run([&](const CopyingBlock& block) { selection.Visit(block); });
  return selection.selected();
}

}  // namespace haplospin
