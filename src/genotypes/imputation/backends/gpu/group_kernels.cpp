#include "genotypes/imputation/backends/gpu/group_kernels.h"

#include <algorithm>

namespace haplospin {

size_t GroupKernels::BytesOfTarget(const kernels::WindowData& window) {
  constexpr size_t kSlotBytes = 5 * sizeof(float) + kNumBestFeatures * sizeof(float);
  const size_t state_bytes =
      kernels::NumWords(window.num_typed) * sizeof(uint32_t) + sizeof(uint32_t) + 2 * sizeof(kernels::Segment);
  return size_t{window.num_anchors} * (kernels::kMaxSlots * kSlotBytes + 5 * sizeof(float)) +
         kStatesOfTarget * state_bytes + size_t{window.num_typed} * 16 +
         size_t{window.num_markers} * (sizeof(float) + sizeof(uint16_t));
}

void GroupKernels::Run(HostGroup& group) {
  Upload(group);
  MakeRoom(group);
  RunOverStates(Kernel::kRunRecursions, group.states, 1);
  FindShares(group);
  const kernels::WindowData& window = data_.window;
  const uint64_t anchors = uint64_t{data_.group.num_targets} * window.num_anchors;
  Launch(Kernel::kComputeLogits, WarpGrid(anchors * (kernels::kMaxSlots / kernels::kLanes)));
  Launch(Kernel::kComputeWeights, WarpGrid(anchors));
  Grid word_grid = WarpGrid(window.num_words);
  word_grid.y = data_.group.num_targets;
  Launch(Kernel::kImputeAlleles, word_grid);
  Grid row_grid = ThreadGrid(window.num_markers + group.left_out.size());
  row_grid.y = group.num_rows;
  Launch(Kernel::kAverageVersions, row_grid);
  queue_.Download(group.alt_rows.data(), data_.group.alt_rows, group.alt_rows.span().size_bytes());
  if (group.left_out_rows.size() > 0) {
    queue_.Download(group.left_out_rows.data(), data_.group.left_out_rows, group.left_out_rows.span().size_bytes());
  }
  queue_.Synchronize();
}

void GroupKernels::Upload(const HostGroup& group) {
  kernels::GroupData& to = data_.group;
  to.num_targets = static_cast<uint32_t>(group.targets.size());
  to.num_samples = static_cast<uint32_t>(group.samples.size());
  to.num_rows = static_cast<uint32_t>(group.num_rows);
  to.num_left_out = static_cast<uint32_t>(group.left_out.size());
  to.targets = targets_.Upload(group.targets.span());
  to.samples = samples_.Upload(group.rows.span());
  to.alleles = alleles_.Upload(group.alleles.span());
  to.bits = bits_.Upload(group.bits.span());
  to.observed = observed_.Upload(group.observed.span());
  to.information = information_.Upload(group.information.span());
  to.version_weight = version_weight_.Upload(group.version_weight.span());
  to.version_swapped = version_swapped_.Upload(group.version_swapped.span());
  to.output_alleles = output_alleles_.Upload(group.output_alleles.span());
  to.left_out_typed = left_out_typed_.Upload(group.left_out);
  UploadStates(group.states);
}

void GroupKernels::MakeRoom(const HostGroup& group) {
  kernels::GroupData& to = data_.group;
  const kernels::WindowData& window = data_.window;
  const size_t targets = to.num_targets, anchors = targets * window.num_anchors;
  const size_t slots = anchors * kernels::kMaxSlots;
  to.count = count_.Reserve(anchors);
  to.state = state_.Reserve(slots);
  to.forward = forward_.Reserve(slots);
  to.backward = backward_.Reserve(slots);
  to.at_left = at_left_.Reserve(slots);
  to.at_right = at_right_.Reserve(slots);
  to.carried = carried_.Reserve(slots * kNumBestFeatures);
  to.best_forward = best_forward_.Reserve(anchors);
  to.best_backward = best_backward_.Reserve(anchors);
  to.log_sum = log_sum_.Reserve(anchors);
  to.log_squares = log_squares_.Reserve(anchors);
  to.haplotype = to.state;  // It and the next three take the memory of what they are computed from.
  to.logit = to.forward;
  to.left_weight = to.at_left;
  to.right_weight = to.at_right;
  const size_t people_words = group.samples.size() * kernels::NumWords(window.num_samples);
  to.is_candidate = is_candidate_.Reserve(people_words);
  to.people_before = people_before_.Reserve(people_words);
  to.num_people = num_people_.Reserve(group.samples.size());
  to.minor = minor_.Reserve(targets * window.num_markers);
  to.left_out = left_out_.Reserve(targets * window.num_typed);
  to.alt_rows = alt_rows_.Reserve(group.alt_rows.size());
  to.left_out_rows = left_out_rows_.Reserve(group.left_out_rows.size());
}

// The tables of people are made when their number is known.
void GroupKernels::FindShares(HostGroup& group) {
  Launch(Kernel::kListPeople, BlockGrid(group.samples.size()));
  people_count_.Resize(group.samples.size());
  queue_.Download(people_count_.data(), data_.group.num_people, people_count_.span().size_bytes());
  queue_.Synchronize();
  uint64_t people = 0, copied = 0;
  for (size_t s = 0; s < group.samples.size(); ++s) {
    group.rows[s].num_people = people_count_[s];
    group.rows[s].first_person = people;
    group.rows[s].first_copied = copied;
    people += people_count_[s];
    copied += uint64_t{people_count_[s]} * data_.window.num_blocks;
  }
  kernels::GroupData& to = data_.group;
  to.samples = samples_.Upload(group.rows.span());
  to.people = people_.Reserve(people);
  to.everywhere = everywhere_.Reserve(people);
  to.share = share_.Reserve(people);
  to.population_log_share = population_log_share_.Reserve(people);
  to.copied = copied_.Reserve(copied);
  to.log_share = log_share_.Reserve(copied);
  queue_.Zero(to.copied, copied * sizeof(uint64_t));
  Launch(Kernel::kFindSampleShares, BlockGrid(group.samples.size()));
}

}  // namespace haplospin
