#include "imputation/network/cpu_backend.h"

#include "imputation/network/allele_batch.h"
#include "imputation/network/network_kernels.h"

namespace haplospin {
namespace {

// The network's weights as the kernels read them.
struct CpuNetwork {
  explicit CpuNetwork(const ImputerWeights& weights)
      : forward(weights.forward),
        backward(weights.backward),
        panel_share(PanelShare(weights)),
        copy(weights.copy),
        allele(weights.allele) {}

  float forward;
  float backward;
  float panel_share;
  PackedMlp copy;
  PackedMlp allele;
};

class CpuComputation : public NetworkComputation {
 public:
  explicit CpuComputation(const CpuNetwork& network) : network_(network), batch_(network.allele, network.panel_share) {}

  void AddInterval(const CopyFeatures& features, size_t num_candidates) override {
    features_ = &features;
    RunMlp(network_.copy, features.values, num_candidates, scratch_, attention_.logit);
    FinishAttention(features, network_.forward, network_.backward, num_candidates, attention_);
  }

  void AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& carriers,
                 float* minor_probability) override {
    batch_.Add(marker, regression, *features_, attention_, carriers, minor_probability);
  }

  void Compute() override { batch_.Flush(); }

 private:
  const CpuNetwork& network_;
  const CopyFeatures* features_ = nullptr;  // of the interval added last
  CopyAttention attention_;
  MlpScratch scratch_;
  AlleleBatch batch_;
};

class CpuBackend : public NetworkBackend {
 public:
  explicit CpuBackend(const ImputerWeights& weights) : network_(weights) {}

  std::unique_ptr<NetworkComputation> NewComputation() override { return std::make_unique<CpuComputation>(network_); }
  float panel_share() const override { return network_.panel_share; }

 private:
  const CpuNetwork network_;
};

}  // namespace

std::unique_ptr<NetworkBackend> MakeCpuBackend(const ImputerWeights& weights) {
  return std::make_unique<CpuBackend>(weights);
}

}  // namespace haplospin
