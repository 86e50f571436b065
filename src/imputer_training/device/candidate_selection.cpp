#include "imputer_training/device/candidate_selection.h"

#include <algorithm>
#include <vector>

#include "imputation/copying/copy_candidates.h"

namespace haplospin {

// Copying probabilities of the states at the left and the right typed marker of some anchors.
struct CandidateSelection::Ends {
  torch::Tensor forward, backward;  // [entries, T, S] normalized
  torch::Tensor jump;               // [entries, T, S] to a state by a switch
  torch::Tensor switching;          // [entries, 1, 1] from one end to the other

  // In the middle, and moved from one end to the other.
  torch::Tensor HalfForward() const { return Move(forward, 1 - (1 - switching).sqrt()); }
  torch::Tensor HalfBackward() const { return Move(backward, 1 - (1 - switching).sqrt()); }
  torch::Tensor WholeForward() const { return Move(forward, switching); }
  torch::Tensor WholeBackward() const { return Move(backward, switching); }

  Ends Of(const torch::Tensor& states) const {
    const auto part = [&](const torch::Tensor& all) { return all.gather(-1, states); };
    return {.forward = part(forward), .backward = part(backward), .jump = part(jump), .switching = switching};
  }

 private:
  torch::Tensor Move(const torch::Tensor& values, const torch::Tensor& switch_probability) const {
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
  const torch::Tensor jump = batch_.haplotypes.narrow(1, 0, batch_.num_states) / batch_.num_copied;
  SelectBest({.forward = normalized(block.forward, block.forward_sum),
              .backward = normalized(block.backward, block.backward_sum),
              .jump = jump.unsqueeze(0).expand({last - first, -1, -1}),
              .switching = switching_.slice(0, first, last)},
             first);
}

// Of equal products, those of the first states. Products are not negative, so that they are in the order of their bits.
void CandidateSelection::SelectBest(const Ends& ends, int64_t first_anchor) {
  const torch::Tensor products = ends.HalfForward() * ends.HalfBackward();
  const torch::Tensor keys = products.view(torch::kInt).to(torch::kLong).mul_(batch_.num_states).add_(state_order_);
  const torch::Tensor best = std::get<0>(keys.topk(max_count_, -1, /*largest=*/true, /*sorted=*/false));
  const torch::Tensor states = batch_.num_states - 1 - best.remainder(batch_.num_states);
  const torch::Tensor is_candidate = products.gather(-1, states) > min_product_ * products.amax({-1}, /*keepdim=*/true);
  // Those that are not come last.
  const torch::Tensor ascending = std::get<0>(states.masked_fill(~is_candidate, batch_.num_states).sort(-1));
  const torch::Tensor is_candidate_slot = ascending < batch_.num_states;
  const torch::Tensor existing = ascending.clamp_max(batch_.num_states - 1);
  const auto of_anchors = [&](const torch::Tensor& all) { return all.narrow(0, first_anchor, products.size(0)); };
  of_anchors(selected_.count).copy_(is_candidate.sum(-1));
  of_anchors(selected_.state).copy_(existing);
  const Ends best_ends = ends.Of(existing);
  const torch::Tensor forward = best_ends.HalfForward(), backward = best_ends.HalfBackward();
  of_anchors(selected_.forward).copy_(forward * batch_.num_copied);
  of_anchors(selected_.backward).copy_(backward * batch_.num_copied);
  const auto relative_to_middle = [&](const torch::Tensor& products_at_end) {
    return torch::where(is_candidate_slot, products_at_end / (forward * backward), 0);
  };
  of_anchors(selected_.at_left).copy_(relative_to_middle(best_ends.forward * best_ends.WholeBackward()));
  of_anchors(selected_.at_right).copy_(relative_to_middle(best_ends.WholeForward() * best_ends.backward));
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
