#include "imputation/gpu/state_kernels.h"

#include <algorithm>
#include <array>

namespace haplospin {
namespace {

// Blocks of the recursions on a multiprocessor, in warps: as many as the registers allow.
constexpr uint32_t kWarpsOfMultiprocessor = 8;

}  // namespace

void StateKernels::UploadStates(const HostStates& states) {
  kernels::GroupData& to = data_.group;
  arrays_.Upload(to.sets, states.sets.span());
  arrays_.Upload(to.first_segment, states.first_segment.span());
  arrays_.Upload(to.segments, states.segments.span());
  arrays_.Upload(to.order, states.order.span());
  arrays_.Reserve(to.state_bits, states.num_words);
  Grid of_states = OfThreads(states.most_states);
  of_states.y = states.sets.size();
  Launch(Kernel::kJoinSegments, of_states);
}

// Targets with as many warps are launched together. Each block has workspaces, and serves one target after the other.
void StateKernels::RunOverStates(Kernel kernel, const HostStates& states, uint32_t haplotypes) {
  size_t first = 0;
  for (uint32_t warps = 1; warps <= kernels::kMaxWarps; ++warps) {
    const size_t count = states.warp_ends[warps - 1] - first;
    if (count == 0) continue;
    const uint32_t warps_of_block = haplotypes * warps;
    const uint64_t blocks =
        std::clamp<uint64_t>(uint64_t{device_.multiprocessors()} * kWarpsOfMultiprocessor / warps_of_block, 1, count);
    data_.group.first_ordered = static_cast<uint32_t>(first);
    data_.group.num_ordered = static_cast<uint32_t>(count);
    arrays_.Reserve(data_.group.work, blocks * haplotypes * kernels::WorkOfHaplotype(data_.window.num_typed, warps));
    Launch(kernel, {.x = blocks, .threads = warps_of_block * kernels::kLanes});
    first += count;
  }
}

void StateKernels::Launch(Kernel kernel, const Grid& grid) {
  device_.Launch(kernel, grid, std::array<const void*, 1>{&data_});
  if (observer_) observer_(kernel, data_);
}

}  // namespace haplospin
