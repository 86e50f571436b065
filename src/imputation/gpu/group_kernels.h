// Imputes a group of study samples on a device, kernel after kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "imputation/gpu/device.h"
#include "imputation/gpu/host_group.h"
#include "imputation/gpu/kernel_window.h"

namespace haplospin {

class GroupKernels {
 public:
  // Both must outlive the object.
  GroupKernels(Device& device, const KernelWindow& window);

  // Sets the group's results.
  void Run(HostGroup& group);

  // Bytes of the device's memory that a target takes, apart from its people.
  static size_t BytesOfTarget(const kernels::WindowData& window);

 private:
  void Upload(const HostGroup& group);
  void MakeRoom(const HostGroup& group);
  void RunRecursions(const HostGroup& group);
  void FindShares(HostGroup& group);
  void Launch(Kernel kernel, const Grid& grid);

  // Grids of blocks of kThreads threads: for warps, for threads, or one block each.
  static Grid OfWarps(uint64_t warps) {
    return {.x = Ceil(warps, kernels::kWarpsOfBlock), .threads = kernels::kThreads};
  }
  static Grid OfBlocks(uint64_t blocks) { return {.x = blocks, .threads = kernels::kThreads}; }
  static uint64_t Ceil(uint64_t count, uint64_t of) { return (count + of - 1) / of; }

  Device& device_;
  kernels::KernelData data_;

  DeviceBuffer<kernels::Target> targets_;
  DeviceBuffer<kernels::Sample> samples_;
  DeviceBuffer<kernels::StateSet> sets_;
  DeviceBuffer<uint32_t> first_segment_;
  DeviceBuffer<kernels::Segment> segments_;
  DeviceBuffer<uint8_t> alleles_;
  DeviceBuffer<uint64_t> bits_, observed_;
  DeviceBuffer<float> information_, version_weight_;
  DeviceBuffer<uint8_t> version_swapped_, output_alleles_;
  DeviceBuffer<uint32_t> order_, left_out_typed_;

  DeviceBuffer<uint32_t> state_bits_, count_, haplotype_;
  DeviceBuffer<float> work_, forward_, backward_, at_left_, at_right_, best_forward_, best_backward_, carried_;
  DeviceBuffer<float> log_sum_, log_squares_, minor_, left_out_;
  DeviceBuffer<uint32_t> is_candidate_, people_before_, num_people_, people_;
  DeviceBuffer<uint64_t> everywhere_, copied_;
  DeviceBuffer<float> share_, population_log_share_, log_share_;
  DeviceBuffer<uint16_t> alt_rows_, left_out_rows_;
  HostBuffer<uint32_t> people_of_samples_;
};

}  // namespace haplospin
