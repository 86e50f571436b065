// The states of targets as the kernels read them, in memory of the host.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/backends/gpu/kernels/kernel_data.h"
#include "genotypes/imputation/models/copying/copying_states.h"

namespace haplospin {

class HostStates {
 public:
  explicit HostStates(Device& device) : sets(device), first_segment(device), segments(device), order(device) {}

  // Sets the segments of the states of a set (StateSelection).
  using Choose = std::function<void(CopyingStates&)>;

  // Chooses the states of each set, on all threads.
  void Set(std::span<const Choose> choose, size_t num_typed);

  // Orders targets by the number of warps of their set.
  void SetOrder(size_t num_targets, const std::function<size_t(size_t)>& set_of_target);

  // As in kernels::GroupData. `order` has the targets with one warp first; warp_ends[w] is where those with w + 1 end.
  HostBuffer<kernels::StateSet> sets;
  HostBuffer<uint32_t> first_segment;
  HostBuffer<kernels::Segment> segments;
  HostBuffer<uint32_t> order;
  size_t warp_ends[kernels::kMaxWarps] = {};
  uint64_t num_words = 0;    // size of GroupData::state_bits
  uint32_t most_states = 0;  // of a set

 private:
  struct ChosenStates {
    size_t num_copied;
    std::vector<uint32_t> first_segment;  // [states + 1]
    std::vector<kernels::Segment> segments;
  };

  void SetSets(std::span<const ChosenStates> chosen, size_t num_typed);

  tbb::enumerable_thread_specific<CopyingStates> workspaces_;
};

}  // namespace haplospin
