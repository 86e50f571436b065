// The imputer's network on the CPU's vector kernels.
#pragma once

#include <cstddef>

#include "imputation/copying/match_features.h"
#include "imputation/network/allele_batch.h"
#include "imputation/network/allele_features.h"
#include "imputation/network/imputer_weights.h"
#include "imputation/network/network_kernels.h"
#include "imputation/network/window_alleles.h"

namespace haplospin {

// The weights for one panel, as the kernels read them.
struct CpuNetwork {
  CpuNetwork(const ImputerWeights& weights, const PanelFeatures& panel)
      : forward(weights.forward),
        backward(weights.backward),
        panel_share(PanelShare(weights)),
        copy(ForPanel(weights.copy, panel)),
        allele(ForPanel(weights.allele, panel)) {}

  float forward;
  float backward;
  float panel_share;
  PackedMlp copy;
  PackedMlp allele;
};

// Workspace of one thread: collects markers of one target haplotype after the other, and computes their probabilities,
// now or later. The network must outlive it.
class CpuComputation {
 public:
  explicit CpuComputation(const CpuNetwork& network) : network_(network), batch_(network.allele, network.panel_share) {}

  // The candidates of an interval. `features` must not change before the next call, or Compute().
  void AddInterval(const CopyFeatures& features, size_t num_candidates);

  // A marker in the interval added last, at which the candidates differ. `regression` is the probability of the minor
  // allele by WindowRegression::Predict(). `minor_probability` receives that of the network, at the latest in
  // Compute().
  void AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& carriers,
                 float* minor_probability) {
    batch_.Add(marker, regression, *features_, attention_, carriers, minor_probability);
  }

  // Sets the probabilities of all markers added since the last call.
  void Compute() { batch_.Flush(); }

 private:
  const CpuNetwork& network_;
  const CopyFeatures* features_ = nullptr;  // of the interval added last
  CopyAttention attention_;
  MlpScratch scratch_;
  AlleleBatch batch_;
};

}  // namespace haplospin
