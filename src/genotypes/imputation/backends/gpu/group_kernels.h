// Imputes a group of study samples on a device, kernel after kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/backends/gpu/host_group.h"
#include "genotypes/imputation/backends/gpu/kernel_window.h"
#include "genotypes/imputation/backends/gpu/state_kernels.h"

namespace haplospin {

inline constexpr size_t kStatesOfTarget = 1024;  // of nearly all targets

class GroupKernels : StateKernels {
 public:
  // Device and window must outlive the object.
  GroupKernels(Device& device, const KernelWindow& window, Observer observer = {})
      : StateKernels(device, DeviceQueue::Priority::kNormal, window, std::move(observer)), people_count_(device) {}

  // Sets the group's results.
  void Run(HostGroup& group);

  // Bytes of the device's memory that a target takes, apart from its people.
  static size_t BytesOfTarget(const kernels::WindowData& window);

 private:
  void Upload(const HostGroup& group);
  void MakeRoom(const HostGroup& group);
  void FindShares(HostGroup& group);

  HostBuffer<uint32_t> people_count_;  // [samples]

  // What the pointers of data_.group refer to.
  DeviceArray<kernels::Target> targets_{queue_};
  DeviceArray<kernels::Sample> samples_{queue_};
  DeviceArray<uint8_t> alleles_{queue_}, version_swapped_{queue_}, output_alleles_{queue_};
  DeviceArray<uint32_t> bits_{queue_}, observed_{queue_}, left_out_typed_{queue_};
  DeviceArray<float> information_{queue_}, version_weight_{queue_};
  DeviceArray<uint32_t> count_{queue_}, state_{queue_};
  DeviceArray<float> forward_{queue_}, backward_{queue_}, at_left_{queue_}, at_right_{queue_}, carried_{queue_};
  DeviceArray<float> best_forward_{queue_}, best_backward_{queue_}, log_sum_{queue_}, log_squares_{queue_};
  DeviceArray<uint32_t> is_candidate_{queue_}, people_before_{queue_}, num_people_{queue_}, people_{queue_};
  DeviceArray<uint64_t> everywhere_{queue_}, copied_{queue_};
  DeviceArray<float> share_{queue_}, population_log_share_{queue_}, log_share_{queue_};
  DeviceArray<float> minor_{queue_}, left_out_{queue_};
  DeviceArray<uint16_t> alt_rows_{queue_}, left_out_rows_{queue_};
};

}  // namespace haplospin
