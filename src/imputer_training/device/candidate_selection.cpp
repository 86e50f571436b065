#include "imputer_training/device/candidate_selection.h"

#include <algorithm>
#include <vector>

#include "imputation/copying/copy_candidates.h"

namespace haplospin {

// Copying probabilities at the left and the right typed marker of some anchors.
struct CandidateSelection::Ends {
  torch::Tensor forward, backward;  // [entries, T, S] normalized
  torch::Tensor switching;          // [entries, 1, 1] from one to the other
  torch::Tensor jump;               // [T, S] to a state by a switch

  // Moved by a switch probability.
  torch::Tensor Move(const torch::Tensor& values, const torch::Tensor& switch_probability) const {
    return torch::addcmul(switch_probability * jump, values, 1 - switch_probability);
  }
  torch::Tensor half() const { return 1 - (1 - switching).sqrt(); }
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
  for (torch::Tensor* values : {&selected_.backward, &selected_.at_left, &selected_.at_right}) {
    *values = torch::empty_like(selected_.forward);
  }
  selected_.left_out = torch::empty({batch.num_typed, batch.num_targets}, floats);
}

// A block has the intervals on the left of its typed markers; the last one has that on the right as well.
void CandidateSelection::Visit(const CopyingBlock& block) {
  selected_.left_out.slice(0, block.begin, block.end).copy_(LeftOut(block));
  const int64_t first = AnchorsBefore(block.begin);
  const int64_t last = AnchorsBefore(block.end == batch_.num_typed ? block.end + 1 : block.end);
  if (first == last) return;
  const torch::Tensor entries = anchors_.slice(0, first, last) - block.begin;
  const auto normalized = [&](const torch::Tensor& values, const torch::Tensor& sums) {
    return values.narrow(2, 0, batch_.num_states).index_select(0, entries) / sums.index_select(0, entries);
  };
  SelectBest({.forward = normalized(block.forward, block.forward_sum),
              .backward = normalized(block.backward, block.backward_sum),
              .switching = switching_.slice(0, first, last),
              .jump = batch_.haplotypes.narrow(1, 0, batch_.num_states) / batch_.num_copied},
             first);
}

// Of equal products, those of the first states. Products are not negative, so that they are in the order of their bits.
void CandidateSelection::SelectBest(const Ends& ends, int64_t first_anchor) {
  const torch::Tensor forward = ends.Move(ends.forward, ends.half()), backward = ends.Move(ends.backward, ends.half());
  const torch::Tensor products = forward * backward;
  const torch::Tensor keys = products.view(torch::kInt).to(torch::kLong).mul_(batch_.num_states).add_(state_order_);
  const torch::Tensor best = std::get<0>(keys.topk(max_count_, -1, /*largest=*/true, /*sorted=*/false));
  const torch::Tensor states = batch_.num_states - 1 - best.remainder(batch_.num_states);
  const torch::Tensor is_candidate = products.gather(-1, states) > min_product_ * products.amax({-1}, /*keepdim=*/true);
  // Those that are not come last.
  const torch::Tensor ascending = std::get<0>(states.masked_fill(~is_candidate, batch_.num_states).sort(-1));
  const torch::Tensor is_candidate_slot = ascending < batch_.num_states;
  const torch::Tensor existing = ascending.clamp_max(batch_.num_states - 1);
  const auto of_anchors = [&](const torch::Tensor& all) { return all.narrow(0, first_anchor, products.size(0)); };
  const torch::Tensor scale = batch_.num_copied;
  of_anchors(selected_.count).copy_(is_candidate.sum(-1));
  of_anchors(selected_.state).copy_(existing);
  of_anchors(selected_.forward).copy_(forward.gather(-1, existing) * scale);
  of_anchors(selected_.backward).copy_(backward.gather(-1, existing) * scale);
  const torch::Tensor middle = products.gather(-1, existing);
  const auto relative = [&](const torch::Tensor& left, const torch::Tensor& right) {
    return torch::where(is_candidate_slot, left.gather(-1, existing) * right.gather(-1, existing) / middle, 0);
  };
  of_anchors(selected_.at_left).copy_(relative(ends.forward, ends.Move(ends.backward, ends.switching)));
  of_anchors(selected_.at_right).copy_(relative(ends.Move(ends.forward, ends.switching), ends.backward));
}

// Both states have seen the target's allele at their marker: its factor is divided out of each.
torch::Tensor CandidateSelection::LeftOut(const CopyingBlock& block) const {
  const torch::Tensor joint = block.forward.narrow(0, 1, block.size()) * block.backward.narrow(0, 0, block.size());
  const torch::Tensor of_states = joint.narrow(2, 0, batch_.num_states);
  const auto without_own = [&](const torch::Tensor& sum, const torch::Tensor& factor) {
    return sum / factor.slice(0, block.begin, block.end).squeeze(-1).square();
  };
  const torch::Tensor alt = without_own(of_states.masked_fill(~block.is_alt, 0).sum(-1), batch_.if_alt);
  const torch::Tensor ref = without_own(of_states.masked_fill(block.is_alt, 0).sum(-1), batch_.if_ref);
  const torch::Tensor rest = without_own(joint.select(2, batch_.num_states) * batch_.per_rest, batch_.if_rest);
  return (alt + rest * batch_.alt_frequency.slice(0, block.begin, block.end)) / (ref + alt + rest);
}

int64_t CandidateSelection::AnchorsBefore(int64_t interval) const {
  const auto anchors = panel_.anchors();
  return std::ranges::lower_bound(anchors, static_cast<uint32_t>(interval)) - anchors.begin();
}

SelectedCandidates SelectCandidates(const TypedPanel& panel, const CopyingBatch& batch, float min_product) {
  CandidateSelection selection(panel, batch, min_product);
  TensorRecursions(batch).Run([&](const CopyingBlock& block) { selection.Visit(block); });
  return selection.selected();
}

}  // namespace haplospin
