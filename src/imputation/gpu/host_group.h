// Some study samples as the kernels read them, in memory of the host.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "imputation/copying/copying_states.h"
#include "imputation/gpu/device.h"
#include "imputation/gpu/kernels/kernel_data.h"
#include "imputation/imputing/backend.h"

namespace haplospin {

struct SampleOfBatch {
  const SampleBatch* batch;
  size_t index;  // in the batch

  const SampleTargets& targets() const { return batch->samples[index]; }
};

class HostGroup {
 public:
  // The window must outlive the group.
  HostGroup(Device& device, const PanelWindow& window);

  // Chooses the states of the samples, which must not be empty, on all threads.
  void Set(std::vector<SampleOfBatch> samples);

  std::vector<SampleOfBatch> samples;  // [S]
  std::vector<uint32_t> left_out;      // typed markers of the output's left-out probabilities

  // As in kernels::GroupData. `order` has the targets with one warp first; warp_ends[w] is where those with w + 1 end.
  HostBuffer<kernels::Target> targets;
  HostBuffer<kernels::Sample> rows;  // samples as the kernels know them
  HostBuffer<kernels::StateSet> sets;
  HostBuffer<uint32_t> first_segment;
  HostBuffer<kernels::Segment> segments;
  HostBuffer<uint8_t> alleles;
  HostBuffer<uint64_t> bits, observed;
  HostBuffer<float> information;
  HostBuffer<float> version_weight;
  HostBuffer<uint8_t> version_swapped;
  HostBuffer<uint32_t> order;
  HostBuffer<uint8_t> output_alleles;
  size_t warp_ends[kernels::kMaxWarps] = {};
  size_t num_rows = 0;
  uint64_t state_words = 0;  // size of GroupData::state_bits

  // The results, [R, markers] and [R, left_out].
  HostBuffer<uint16_t> alt_rows, left_out_rows;

 private:
  // The states of a set, as the kernels read them.
  struct States {
    size_t num_copied;
    std::vector<uint32_t> first_segment;  // [states + 1]
    std::vector<kernels::Segment> segments;
  };

  void SetTargets();
  void SetTarget(const SampleOfBatch& sample, size_t k, size_t t, size_t s, size_t version);
  void SetStates(const std::vector<States>& states);
  void SetOrder();
  std::vector<States> ChooseStates(size_t num_sets);

  const PanelWindow& window_;
  std::vector<size_t> first_set_;  // [S]
  tbb::enumerable_thread_specific<CopyingStates> workspaces_;
};

}  // namespace haplospin
