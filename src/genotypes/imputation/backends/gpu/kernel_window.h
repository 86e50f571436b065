// The data of a window that all targets share, on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "genotypes/imputation/backends/gpu/device_queue.h"
#include "genotypes/imputation/backends/gpu/kernels/kernel_data.h"
#include "genotypes/imputation/models/network/imputer_weights.h"
#include "genotypes/imputation/window/imputed_markers.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"

namespace haplospin {

class KernelWindow {
 public:
  // Copies the window to the device. The device must outlive the object. Throws InputError if a network has more than
  // kernels::kHidden hidden units.
  KernelWindow(Device& device, const PanelWindow& window, const PanelEstimates& estimates,
               const ImputedMarkers& imputed, const ImputerWeights& weights);

  const kernels::WindowData& data() const { return data_; }

 private:
  // Returns a copy of the values on the device, which stays as long as the object.
  template <typename T>
  const T* Keep(std::span<const T> values);
  template <typename T>
  const T* Keep(const std::vector<T>& values) {
    return Keep(std::span(values));
  }
  void SetTyped(const TypedPanel& panel, const PanelCopying& copying);
  void SetMarkers(const PanelWindow& window, const ImputedMarkers& imputed);
  void SetRegression(const WindowRegression& regression);
  void SetAlleles(const HaplotypePanel& panel, size_t first_imputed, const std::vector<kernels::AlleleWord>& words);

  DeviceQueue queue_;
  kernels::WindowData data_ = {};
  std::vector<std::shared_ptr<void>> kept_;  // arrays that the pointers of data_ refer to
  DeviceArray<uint32_t> minor_rows_;
};

}  // namespace haplospin
