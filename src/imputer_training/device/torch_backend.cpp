#include "imputer_training/device/torch_backend.h"

#include <torch/cuda.h>

#include <optional>

#include "core/threads.h"
#include "imputer_training/device/device_imputer.h"
#include "imputer_training/imputer_network.h"
#include "nn/device.h"
#include "nn/named_tensors.h"
#include "nn/tensor_file.h"
#include "nn/torch_compat.h"
#include "nn/torch_threads.h"

namespace haplospin {
namespace {

// Other memory of the GPU is for the window, and what tensors of changing sizes leave unused.
size_t BytesOfGroups(const torch::Device& gpu) {
  constexpr size_t kIfNotKnown = size_t{4} << 30;  // of the 8 GiB or more that GPUs have
  const std::optional<size_t> free = compat::FreeBytes(gpu);
  return free ? *free / 2 : kIfNotKnown;
}

class TorchBackend : public ImputerBackend {
 public:
  TorchBackend(torch::Device device, const ImputerWeights& weights)
      : device_(device),
        network_(static_cast<int64_t>(weights.copy.hidden), static_cast<int64_t>(weights.allele.hidden)) {
    LoadModuleState(*network_, FileTensors(ToSafetensors(weights)), "the weights");
    network_->to(device_);
    network_->eval();
    if (device_.is_cuda()) LimitGroupBytes(BytesOfGroups(device_));
  }

  std::unique_ptr<TargetImputer> NewTargetImputer(const WindowContext& context) override {
    return std::make_unique<DeviceImputer>(context, network_, device_, max_group_bytes());
  }
  bool ImputesInGroups() const override { return true; }

 private:
  torch::Device device_;
  ImputerNetwork network_;
};

}  // namespace

std::unique_ptr<ImputerBackend> MakeTorchBackend(const std::string& device, const ImputerWeights& weights) {
  SetTorchThreads(Threads());
  return std::make_unique<TorchBackend>(ParseDevice(device), weights);
}

bool SeesCudaDevice() { return torch::cuda::is_available(); }

}  // namespace haplospin
