// Some study samples as the kernels read them, in memory of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/backends/gpu/host_states.h"
#include "genotypes/imputation/backends/gpu/kernels/kernel_data.h"

namespace haplospin {

struct SampleOfBatch {
  std::shared_ptr<const SampleBatch> batch;
  size_t index;  // in the batch

  const SampleTargets& targets() const { return batch->samples[index]; }
};

class HostGroup {
 private:
  Device& device_;
  const PanelWindow& window_;

 public:
  // The window must outlive the group.
  HostGroup(Device& device, const PanelWindow& window, const WindowAlleles& alleles);

  // Takes on samples, which must not be empty, and chooses their states on all threads.
  void Set(std::vector<SampleOfBatch> batch_samples);

  std::vector<SampleOfBatch> samples;  // [S]
  std::vector<uint32_t> left_out;      // typed markers of the output's left-out probabilities

  // As in kernels::GroupData.
  HostBuffer<kernels::Target> targets{device_};
  HostBuffer<kernels::Sample> rows{device_};  // samples as the kernels know them
  HostStates states{device_};
  HostBuffer<uint8_t> alleles{device_};
  HostBuffer<uint32_t> bits{device_}, observed{device_};
  HostBuffer<float> information{device_};
  HostBuffer<float> version_weight{device_};
  HostBuffer<uint8_t> version_swapped{device_};
  HostBuffer<uint8_t> output_alleles{device_};
  size_t num_rows = 0;

  // The results, [R, markers] and [R, left_out].
  HostBuffer<uint16_t> alt_rows{device_}, left_out_rows{device_};

 private:
  void SetTargets();
  void SetTarget(size_t k, size_t s, size_t set, size_t version);
  void ChooseStates();
};

}  // namespace haplospin
