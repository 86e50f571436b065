#include "imputer_training/torch_backend.h"

#include <torch/cuda.h>

#include <mutex>

#include "core/threads.h"
#include "imputer_training/imputer_network.h"
#include "imputer_training/torch_candidate_search.h"
#include "nn/device.h"
#include "nn/named_tensors.h"
#include "nn/tensor_file.h"
#include "nn/torch_threads.h"

namespace haplospin {
namespace {

class TorchBackend : public NetworkBackend {
 public:
  TorchBackend(torch::Device device, const ImputerWeights& weights)
      : device_(device),
        network_(static_cast<int64_t>(weights.copy.hidden), static_cast<int64_t>(weights.allele.hidden)),
        panel_share_(PanelShare(weights)),
        search_(device) {
    LoadModuleState(*network_, FileTensors(ToSafetensors(weights)), "the weights");
    network_->to(device_);
    network_->eval();
  }

  std::unique_ptr<NetworkComputation> NewComputation() override;
  CandidateSearch* candidate_search() override { return &search_; }
  float panel_share() const override { return panel_share_; }

  // Of the minor allele, [markers]. Threads wait for each other.
  std::vector<float> MinorProbabilities(const NetworkInputs& inputs) {
    if (inputs.interval.empty()) return {};
    const std::lock_guard lock(mutex_);
    const torch::NoGradGuard no_grad;
    const torch::Tensor p = network_->Forward(NetworkTensors(inputs, device_)).cpu().contiguous();
    return {p.data_ptr<float>(), p.data_ptr<float>() + p.numel()};
  }

 private:
  torch::Device device_;
  ImputerNetwork network_;
  float panel_share_;
  TorchCandidateSearch search_;
  std::mutex mutex_;
};

// Collects many targets, so that the device has enough to do at a time.
class TorchComputation : public NetworkComputation {
 public:
  explicit TorchComputation(TorchBackend& backend) : backend_(backend) {}

  void AddInterval(const CopyFeatures& features, size_t num_candidates) override {
    if (inputs_.count.size() >= kMaxIntervals || inputs_.interval.size() >= kMaxMarkers) Compute();
    inputs_.AddInterval(features, num_candidates);
  }

  void AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& carriers,
                 float* minor_probability) override {
    inputs_.AddMarker(marker, regression, carriers);
    results_.push_back(minor_probability);
  }

  void Compute() override {
    const std::vector<float> p = backend_.MinorProbabilities(inputs_);
    for (size_t v = 0; v < results_.size(); ++v) *results_[v] = p[v];
    inputs_.Clear();
    results_.clear();
  }

 private:
  // Limits of memory: an interval takes 7 kB here, and a marker some kB on the device.
  static constexpr size_t kMaxIntervals = 1 << 13, kMaxMarkers = 1 << 16;

  TorchBackend& backend_;
  NetworkInputs inputs_;
  std::vector<float*> results_;  // [markers]
};

std::unique_ptr<NetworkComputation> TorchBackend::NewComputation() { return std::make_unique<TorchComputation>(*this); }

}  // namespace

std::unique_ptr<NetworkBackend> MakeTorchBackend(const std::string& device, const ImputerWeights& weights) {
  SetTorchThreads(Threads());
  return std::make_unique<TorchBackend>(ParseDevice(device), weights);
}

bool SeesCudaDevice() { return torch::cuda::is_available(); }

}  // namespace haplospin
