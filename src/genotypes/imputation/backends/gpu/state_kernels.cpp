#include "genotypes/imputation/backends/gpu/state_kernels.h"

#include <algorithm>
#include <array>

namespace haplospin {

void StateKernels::UploadStates(const HostStates& states) {
  kernels::GroupData& to = data_.group;
  to.sets = sets_.Upload(states.sets.span());
  to.first_segment = first_segment_.Upload(states.first_segment.span());
  to.segments = segments_.Upload(states.segments.span());
  to.order = order_.Upload(states.order.span());
  to.state_bits = state_bits_.Reserve(states.num_words);
  Grid state_grid = ThreadGrid(states.most_states);
  state_grid.y = states.sets.size();
  Launch(Kernel::kJoinSegments, state_grid);
}

// Targets with as many warps are launched together, as many as the device computes at the same time: each block has a
// workspace, and blocks of queues with a higher priority need not wait long.
void StateKernels::RunOverStates(Kernel kernel, const HostStates& states, uint32_t haplotypes) {
  size_t first = 0;
  for (uint32_t warps = 1; warps <= kernels::kMaxWarps; ++warps) {
    const size_t end = states.warp_ends[warps - 1];
    if (first == end) continue;
    const uint32_t threads = haplotypes * warps * kernels::kLanes;
    const size_t at_a_time = std::min(queue_.device().ResidentBlocks(kernel, threads), end - first);
    data_.group.work = work_.Reserve(at_a_time * haplotypes * kernels::WorkOfHaplotype(data_.window.num_typed, warps));
    for (; first < end; first += std::min(at_a_time, end - first)) {
      data_.group.first_ordered = static_cast<uint32_t>(first);
      Queue(kernel, {.x = std::min(at_a_time, end - first), .threads = threads});
    }
  }
  Observe(kernel);
}

void StateKernels::Launch(Kernel kernel, const Grid& grid) {
  Queue(kernel, grid);
  Observe(kernel);
}

void StateKernels::Queue(Kernel kernel, const Grid& grid) {
  queue_.Launch(kernel, grid, std::array<const void*, 1>{&data_});
}

void StateKernels::Observe(Kernel kernel) {
  if (!observer_) return;
  queue_.Synchronize();
  observer_(kernel, data_);
}

}  // namespace haplospin
