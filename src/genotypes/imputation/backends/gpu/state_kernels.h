// What the kernels that run over the states of targets share: the states, and memory for the recursions.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "genotypes/imputation/backends/gpu/device_queue.h"
#include "genotypes/imputation/backends/gpu/host_states.h"
#include "genotypes/imputation/backends/gpu/kernel_window.h"

namespace haplospin {

class StateKernels {
 public:
  // Is called after each kernel, when it is done for all targets.
  using Observer = std::function<void(Kernel, const kernels::KernelData&)>;

 protected:
  // Device and window must outlive the object.
  StateKernels(Device& device, DeviceQueue::Priority priority, const KernelWindow& window, Observer observer = {})
      : queue_(device, priority), data_{window.data(), {}}, observer_(std::move(observer)) {}

  // Copies the states to the device, and makes their alleles. The host's memory must stay until
  // DeviceQueue::Synchronize().
  void UploadStates(const HostStates& states);

  // Runs a kernel over the targets of the states' order. Each has `haplotypes` haplotypes, whose recursions run side by
  // side.
  void RunOverStates(Kernel kernel, const HostStates& states, uint32_t haplotypes);

  void Launch(Kernel kernel, const Grid& grid);

  // Grids of blocks of kThreads threads: for warps, for threads, or one block each.
  static Grid WarpGrid(uint64_t warps) {
    return {.x = Ceil(warps, kernels::kWarpsOfBlock), .threads = kernels::kThreads};
  }
  static Grid ThreadGrid(uint64_t threads) { return BlockGrid(Ceil(threads, kernels::kThreads)); }
  static Grid BlockGrid(uint64_t blocks) { return {.x = blocks, .threads = kernels::kThreads}; }

  DeviceQueue queue_;
  kernels::KernelData data_;

 private:
  static uint64_t Ceil(uint64_t count, uint64_t divisor) { return (count + divisor - 1) / divisor; }

  void Queue(Kernel kernel, const Grid& grid);
  void Observe(Kernel kernel);

  // What the pointers of data_.group refer to.
  DeviceArray<kernels::StateSet> sets_{queue_};
  DeviceArray<uint32_t> first_segment_{queue_}, order_{queue_}, state_bits_{queue_};
  DeviceArray<kernels::Segment> segments_{queue_};
  DeviceArray<float> work_{queue_};

  const Observer observer_;
};

}  // namespace haplospin
