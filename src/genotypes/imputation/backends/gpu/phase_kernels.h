// Examines the phase of study samples on a device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/backends/gpu/host_states.h"
#include "genotypes/imputation/backends/gpu/kernel_window.h"
#include "genotypes/imputation/backends/gpu/state_kernels.h"
#include "genotypes/imputation/models/phase_errors/phase_errors.h"

namespace haplospin {

// They have priority, because the CPU waits for them.
class PhaseKernels : StateKernels {
 public:
  // Both must outlive the object.
  PhaseKernels(Device& device, const KernelWindow& window)
      : StateKernels(device, DeviceQueue::Priority::kHigh, window),
        states_(device),
        targets_(device),
        alleles_(device),
        ratios_(device) {}

  // As BackendWindow::ExaminePhases().
  std::vector<PhaseEvidence> Examine(std::span<const ExaminedPhase> phases);

 private:
  void Prepare(std::span<const ExaminedPhase> phases);
  void Run();

  // The two haplotypes of a phase are two targets with the same set.
  HostStates states_;
  HostBuffer<kernels::Target> targets_;
  HostBuffer<uint8_t> alleles_;
  HostBuffer<float> ratios_;  // [phases, typed]

  DeviceArray<kernels::Target> device_targets_{queue_};
  DeviceArray<uint8_t> device_alleles_{queue_};
  DeviceArray<float> phase_ratio_{queue_};
};

}  // namespace haplospin
