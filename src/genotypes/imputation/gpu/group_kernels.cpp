#include "genotypes/imputation/gpu/group_kernels.h"

#include <algorithm>

namespace haplospin {

size_t GroupKernels::BytesOfTarget(const kernels::WindowData& window) {
  constexpr size_t kOfSlot = 5 * sizeof(float) + kernels::kCarriedFeatures * sizeof(float);
  const size_t of_state =
      kernels::WordsOf(window.num_typed) * sizeof(uint32_t) + sizeof(uint32_t) + 2 * sizeof(kernels::Segment);
  return size_t{window.num_anchors} * (kernels::kMaxSlots * kOfSlot + 5 * sizeof(float)) + kStatesOfTarget * of_state +
         size_t{window.num_typed} * 16 + size_t{window.num_markers} * (sizeof(float) + sizeof(uint16_t));
}

void GroupKernels::Run(HostGroup& group) {
  Upload(group);
  MakeRoom(group);
  RunOverStates(Kernel::kRunRecursions, group.states, 1);
  FindShares(group);
  const kernels::WindowData& window = data_.window;
  const uint64_t anchors = uint64_t{data_.group.num_targets} * window.num_anchors;
  Launch(Kernel::kComputeLogits, OfWarps(anchors * (kernels::kMaxSlots / kernels::kLanes)));
  Launch(Kernel::kComputeWeights, OfWarps(anchors));
  Grid of_words = OfWarps(window.num_words);
  of_words.y = data_.group.num_targets;
  Launch(Kernel::kImputeAlleles, of_words);
  Grid of_rows = OfThreads(window.num_markers + group.left_out.size());
  of_rows.y = group.num_rows;
  Launch(Kernel::kAverageVersions, of_rows);
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
  arrays_.Upload(to.targets, group.targets.span());
  arrays_.Upload(to.samples, group.rows.span());
  arrays_.Upload(to.alleles, group.alleles.span());
  arrays_.Upload(to.bits, group.bits.span());
  arrays_.Upload(to.observed, group.observed.span());
  arrays_.Upload(to.information, group.information.span());
  arrays_.Upload(to.version_weight, group.version_weight.span());
  arrays_.Upload(to.version_swapped, group.version_swapped.span());
  arrays_.Upload(to.output_alleles, group.output_alleles.span());
  arrays_.Upload(to.left_out_typed, group.left_out);
  UploadStates(group.states);
}

void GroupKernels::MakeRoom(const HostGroup& group) {
  kernels::GroupData& to = data_.group;
  const kernels::WindowData& window = data_.window;
  const size_t targets = to.num_targets, anchors = targets * window.num_anchors;
  const size_t slots = anchors * kernels::kMaxSlots;
  arrays_.Reserve(to.count, anchors);
  arrays_.Reserve(to.haplotype, slots);
  for (float** const of_slot : {&to.forward, &to.backward, &to.at_left, &to.at_right}) arrays_.Reserve(*of_slot, slots);
  arrays_.Reserve(to.carried, slots * kernels::kCarriedFeatures);
  for (float** const of_anchor : {&to.best_forward, &to.best_backward, &to.log_sum, &to.log_squares}) {
    arrays_.Reserve(*of_anchor, anchors);
  }
  const size_t people_words = group.samples.size() * kernels::WordsOf(window.num_samples);
  arrays_.Reserve(to.is_candidate, people_words);
  arrays_.Reserve(to.people_before, people_words);
  arrays_.Reserve(to.num_people, group.samples.size());
  arrays_.Reserve(to.minor, targets * window.num_markers);
  arrays_.Reserve(to.left_out, targets * window.num_typed);
  arrays_.Reserve(to.alt_rows, group.alt_rows.size());
  arrays_.Reserve(to.left_out_rows, group.left_out_rows.size());
}

// The tables of people are made when their number is known.
void GroupKernels::FindShares(HostGroup& group) {
  Launch(Kernel::kListPeople, OfBlocks(group.samples.size()));
  people_.Resize(group.samples.size());
  queue_.Download(people_.data(), data_.group.num_people, people_.span().size_bytes());
  queue_.Synchronize();
  uint64_t people = 0, copied = 0;
  for (size_t s = 0; s < group.samples.size(); ++s) {
    group.rows[s].num_people = people_[s];
    group.rows[s].first_person = people;
    group.rows[s].first_copied = copied;
    people += people_[s];
    copied += uint64_t{people_[s]} * data_.window.num_blocks;
  }
  kernels::GroupData& to = data_.group;
  arrays_.Upload(to.samples, group.rows.span());
  arrays_.Reserve(to.people, people);
  arrays_.Reserve(to.everywhere, people);
  arrays_.Reserve(to.share, people);
  arrays_.Reserve(to.population_log_share, people);
  arrays_.Reserve(to.copied, copied);
  arrays_.Reserve(to.log_share, copied);
  queue_.Zero(to.copied, copied * sizeof(uint64_t));
  Launch(Kernel::kFindSampleShares, OfBlocks(group.samples.size()));
}

}  // namespace haplospin
