// Imputes a group of study samples on a device, kernel after kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "genotypes/imputation/gpu/device.h"
#include "genotypes/imputation/gpu/host_group.h"
#include "genotypes/imputation/gpu/kernel_window.h"
#include "genotypes/imputation/gpu/state_kernels.h"

namespace haplospin {

inline constexpr size_t kStatesOfTarget = 1024;  // of nearly all targets

class GroupKernels : StateKernels {
 public:
  // Device and window must outlive the object.
  GroupKernels(Device& device, const KernelWindow& window, Observer observer = {})
      : StateKernels(device, DeviceQueue::Priority::kNormal, window, std::move(observer)), people_(device) {}

  // Sets the group's results.
  void Run(HostGroup& group);

  // Bytes of the device's memory that a target takes, apart from its people.
  static size_t BytesOfTarget(const kernels::WindowData& window);

 private:
  void Upload(const HostGroup& group);
  void MakeRoom(const HostGroup& group);
  void FindShares(HostGroup& group);

  HostBuffer<uint32_t> people_;  // [samples] number of people
};

}  // namespace haplospin
