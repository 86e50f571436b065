#include "imputation/gpu/group_kernels.h"

#include <algorithm>
#include <array>

namespace haplospin {
namespace {

// Blocks of the recursions on a multiprocessor, in warps: as many as the registers allow.
constexpr uint32_t kWarpsOfMultiprocessor = 8;

}  // namespace

GroupKernels::GroupKernels(Device& device, const KernelWindow& window)
    : device_(device),
      data_{window.data(), {}},
      targets_(device),
      samples_(device),
      sets_(device),
      first_segment_(device),
      segments_(device),
      alleles_(device),
      bits_(device),
      observed_(device),
      information_(device),
      version_weight_(device),
      version_swapped_(device),
      output_alleles_(device),
      order_(device),
      left_out_typed_(device),
      state_bits_(device),
      count_(device),
      haplotype_(device),
      work_(device),
      forward_(device),
      backward_(device),
      at_left_(device),
      at_right_(device),
      best_forward_(device),
      best_backward_(device),
      carried_(device),
      log_sum_(device),
      log_squares_(device),
      minor_(device),
      left_out_(device),
      is_candidate_(device),
      people_before_(device),
      num_people_(device),
      people_(device),
      everywhere_(device),
      copied_(device),
      share_(device),
      population_log_share_(device),
      log_share_(device),
      alt_rows_(device),
      left_out_rows_(device),
      people_of_samples_(device) {}

size_t GroupKernels::BytesOfTarget(const kernels::WindowData& window) {
  constexpr size_t kOfSlot = 5 * sizeof(float) + kernels::kCarriedFeatures * sizeof(float);
  constexpr size_t kOfState = sizeof(uint32_t) + 2 * sizeof(kernels::Segment);  // about 1.3 segments
  const size_t states = std::min<size_t>(window.num_haplotypes, kernels::kMaxWarps * kernels::kStatesOfWarp);
  return size_t{window.num_anchors} * (kernels::kMaxSlots * kOfSlot + 5 * sizeof(float)) +
         size_t{kernels::WordsOf(window.num_typed)} * kernels::kStatesOfWarp * sizeof(uint32_t) + states * kOfState +
         size_t{window.num_typed} * 16 + size_t{window.num_markers} * (sizeof(float) + sizeof(uint16_t));
}

void GroupKernels::Run(HostGroup& group) {
  Upload(group);
  MakeRoom(group);
  RunRecursions(group);
  FindShares(group);
  const kernels::WindowData& window = data_.window;
  const uint64_t anchors = uint64_t{data_.group.num_targets} * window.num_anchors;
  Launch(Kernel::kComputeLogits, OfWarps(anchors * (kernels::kMaxSlots / kernels::kLanes)));
  Launch(Kernel::kComputeWeights, OfWarps(anchors));
  Grid of_words = OfWarps(window.num_words);
  of_words.y = data_.group.num_targets;
  Launch(Kernel::kImputeAlleles, of_words);
  Grid of_rows = OfBlocks(Ceil(window.num_markers + group.left_out.size(), kernels::kThreads));
  of_rows.y = group.num_rows;
  Launch(Kernel::kAverageVersions, of_rows);
  device_.Download(group.alt_rows.data(), data_.group.alt_rows, group.alt_rows.span().size_bytes());
  if (group.left_out_rows.size() > 0) {
    device_.Download(group.left_out_rows.data(), data_.group.left_out_rows, group.left_out_rows.span().size_bytes());
  }
  device_.Synchronize();
}

void GroupKernels::Launch(Kernel kernel, const Grid& grid) {
  device_.Launch(kernel, grid, std::array<const void*, 1>{&data_});
}

void GroupKernels::Upload(const HostGroup& group) {
  kernels::GroupData& to = data_.group;
  to.num_targets = static_cast<uint32_t>(group.targets.size());
  to.num_samples = static_cast<uint32_t>(group.samples.size());
  to.num_rows = static_cast<uint32_t>(group.num_rows);
  to.num_left_out = static_cast<uint32_t>(group.left_out.size());
  to.targets = targets_.Upload(group.targets.span());
  to.samples = samples_.Upload(group.rows.span());
  to.sets = sets_.Upload(group.sets.span());
  to.first_segment = first_segment_.Upload(group.first_segment.span());
  to.segments = segments_.Upload(group.segments.span());
  to.alleles = alleles_.Upload(group.alleles.span());
  to.bits = reinterpret_cast<const uint32_t*>(bits_.Upload(group.bits.span()));
  to.observed = reinterpret_cast<const uint32_t*>(observed_.Upload(group.observed.span()));
  to.information = information_.Upload(group.information.span());
  to.version_weight = version_weight_.Upload(group.version_weight.span());
  to.version_swapped = version_swapped_.Upload(group.version_swapped.span());
  to.order = order_.Upload(group.order.span());
  to.output_alleles = output_alleles_.Upload(group.output_alleles.span());
  to.left_out_typed = left_out_typed_.Upload(group.left_out);
}

void GroupKernels::MakeRoom(const HostGroup& group) {
  kernels::GroupData& to = data_.group;
  const kernels::WindowData& window = data_.window;
  const size_t targets = to.num_targets, anchors = targets * window.num_anchors;
  const size_t slots = anchors * kernels::kMaxSlots;
  to.state_bits = state_bits_.Reserve(group.state_words);
  to.count = count_.Reserve(anchors);
  to.haplotype = haplotype_.Reserve(slots);
  to.forward = forward_.Reserve(slots);
  to.backward = backward_.Reserve(slots);
  to.at_left = at_left_.Reserve(slots);
  to.at_right = at_right_.Reserve(slots);
  to.carried = carried_.Reserve(slots * kernels::kCarriedFeatures);
  to.best_forward = best_forward_.Reserve(anchors);
  to.best_backward = best_backward_.Reserve(anchors);
  to.log_sum = log_sum_.Reserve(anchors);
  to.log_squares = log_squares_.Reserve(anchors);
  const size_t people_words = group.samples.size() * kernels::WordsOf(window.num_samples);
  to.is_candidate = is_candidate_.Reserve(people_words);
  to.people_before = people_before_.Reserve(people_words);
  to.num_people = num_people_.Reserve(group.samples.size());
  to.minor = minor_.Reserve(targets * window.num_markers);
  to.left_out = left_out_.Reserve(targets * window.num_typed);
  to.alt_rows = alt_rows_.Reserve(group.alt_rows.size());
  to.left_out_rows = left_out_rows_.Reserve(group.left_out_rows.size());
}

// Targets with as many warps are launched together. Each block has a workspace, and serves one target after the other.
void GroupKernels::RunRecursions(const HostGroup& group) {
  uint32_t most_states = 0;
  for (const kernels::StateSet& set : group.sets.span()) most_states = std::max(most_states, set.num_states);
  Grid of_states = OfBlocks(Ceil(most_states, kernels::kThreads));
  of_states.y = group.sets.size();
  Launch(Kernel::kJoinSegments, of_states);
  size_t first = 0;
  for (uint32_t warps = 1; warps <= kernels::kMaxWarps; ++warps) {
    const size_t count = group.warp_ends[warps - 1] - first;
    if (count == 0) continue;
    const uint64_t blocks =
        std::min<uint64_t>(count, uint64_t{device_.multiprocessors()} * kWarpsOfMultiprocessor / warps);
    data_.group.first_ordered = static_cast<uint32_t>(first);
    data_.group.num_ordered = static_cast<uint32_t>(count);
    data_.group.work = work_.Reserve(blocks * kernels::WorkOfBlock(data_.window.num_typed, warps));
    Launch(Kernel::kRunRecursions, {.x = blocks, .threads = warps * kernels::kLanes});
    first += count;
  }
}

// The tables of people are made when their number is known.
void GroupKernels::FindShares(HostGroup& group) {
  Launch(Kernel::kListPeople, OfBlocks(group.samples.size()));
  people_of_samples_.Resize(group.samples.size());
  device_.Download(people_of_samples_.data(), data_.group.num_people, people_of_samples_.span().size_bytes());
  device_.Synchronize();
  uint64_t people = 0, copied = 0;
  for (size_t s = 0; s < group.samples.size(); ++s) {
    group.rows[s].num_people = people_of_samples_[s];
    group.rows[s].first_person = people;
    group.rows[s].first_copied = copied;
    people += people_of_samples_[s];
    copied += uint64_t{people_of_samples_[s]} * data_.window.num_blocks;
  }
  kernels::GroupData& to = data_.group;
  to.samples = samples_.Upload(group.rows.span());
  to.people = people_.Reserve(people);
  to.everywhere = everywhere_.Reserve(people);
  to.share = share_.Reserve(people);
  to.population_log_share = population_log_share_.Reserve(people);
  to.copied = copied_.Reserve(copied);
  to.log_share = log_share_.Reserve(copied);
  device_.Zero(to.copied, copied * sizeof(uint64_t));
  Launch(Kernel::kFindSampleShares, OfBlocks(group.samples.size()));
}

}  // namespace haplospin
