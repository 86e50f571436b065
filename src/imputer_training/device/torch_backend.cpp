#include "imputer_training/device/torch_backend.h"

#include <torch/cuda.h>

#include <algorithm>
#include <optional>

#include "core/threads.h"
#include "imputer_training/device/device_window.h"
#include "imputer_training/imputer_network.h"
#include "nn/device.h"
#include "nn/named_tensors.h"
#include "nn/torch_compat.h"

namespace haplospin {
namespace {

// Returns the memory for samples that are imputed together. The rest of a GPU's memory is for the window, and for what
// tensors of changing sizes leave unused.
size_t BytesOfGroups(const torch::Device& device) {
  constexpr size_t kOnCpu = size_t{1} << 30;
  constexpr size_t kOnUnknownGpu = size_t{4} << 30;  // GPUs have 8 GiB or more
  if (!device.is_cuda()) return kOnCpu;
  const std::optional<size_t> free = compat::FreeBytes(device);
  return free ? *free / 2 : kOnUnknownGpu;
}

class TorchBackend : public Backend {
 public:
  TorchBackend(torch::Device device, const ImputerWeights& weights, size_t max_bytes)
      : device_(device),
        network_(static_cast<int64_t>(weights.copy.hidden), static_cast<int64_t>(weights.allele.hidden)) {
    LoadModuleState(*network_, FileTensors(ToSafetensors(weights)), "the weights");
    network_->to(device_);
    network_->eval();
    group_bytes_ = std::min(BytesOfGroups(device_), max_bytes);
  }

  std::unique_ptr<BackendWindow> Start(const WindowTask& task) override {
    return std::make_unique<DeviceWindow>(task, network_, device_, group_bytes_);
  }
  size_t HostBytes() const override { return group_bytes_; }

 private:
  torch::Device device_;
  ImputerNetwork network_;
  size_t group_bytes_;
};

}  // namespace

std::unique_ptr<Backend> MakeTorchBackend(const std::string& device, const ImputerWeights& weights, size_t max_bytes) {
  SetTorchThreads(Threads());
  return std::make_unique<TorchBackend>(ParseDevice(device), weights, max_bytes);
}

bool SeesCudaDevice() { return torch::cuda::is_available(); }

}  // namespace haplospin
