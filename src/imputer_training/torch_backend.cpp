#include "imputer_training/torch_backend.h"

#include <torch/cuda.h>

#include <mutex>

#include "imputer_training/imputer_network.h"
#include "nn/device.h"
#include "nn/named_tensors.h"
#include "nn/tensor_file.h"

namespace haplospin {
namespace {

class TorchBackend : public NetworkBackend {
 public:
  TorchBackend(torch::Device device, const ImputerWeights& weights)
      : device_(device),
        network_(static_cast<int64_t>(weights.copy.hidden), static_cast<int64_t>(weights.allele.hidden)) {
    LoadModuleState(*network_, FileTensors(ToSafetensors(weights)), "the weights");
    network_->to(device_);
    network_->eval();
  }

  std::vector<float> MinorProbabilities(const NetworkInputs& inputs) override {
    if (inputs.interval.empty()) return {};
    const std::lock_guard lock(mutex_);
    const torch::NoGradGuard no_grad;
    const torch::Tensor p = network_->Forward(NetworkTensors(inputs, device_)).cpu().contiguous();
    return {p.data_ptr<float>(), p.data_ptr<float>() + p.numel()};
  }

 private:
  torch::Device device_;
  ImputerNetwork network_;
  std::mutex mutex_;
};

}  // namespace

std::unique_ptr<NetworkBackend> MakeTorchBackend(const std::string& device, const ImputerWeights& weights) {
  return std::make_unique<TorchBackend>(ParseDevice(device), weights);
}

bool SeesCudaDevice() { return torch::cuda::is_available(); }

}  // namespace haplospin
