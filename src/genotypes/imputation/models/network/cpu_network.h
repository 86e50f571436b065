// The imputer's network on the CPU's vector kernels.
#pragma once

#include <cstddef>

#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/allele_features.h"
#include "genotypes/imputation/models/network/imputer_weights.h"
#include "genotypes/imputation/models/network/network_kernels.h"
#include "genotypes/imputation/models/network/window_alleles.h"

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

// The workspace of one thread. Markers are added one target haplotype after the other, and their probabilities are
// computed by Compute() or before. The network must outlive it.
class CpuComputation {
 public:
  explicit CpuComputation(const CpuNetwork& network) : network_(network) {}

  // Adds the candidates of an interval. `features` must not change before the next call, or Compute().
  void AddInterval(const CopyFeatures& features, size_t num_candidates);

  // Adds a marker in the interval added last, at which the candidates differ. `regression` is the probability of the
  // minor allele by WindowRegression::Predict(). `minor_probability` receives that of the network, at the latest in
  // Compute().
  void AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& carriers,
                 float* minor_probability);

  // Sets the probabilities of all markers added since the last call.
  void Compute();

 private:
  void FillColumn(const MarkerFeatures& marker, float regression, const CandidateMask& carriers);

  const CpuNetwork& network_;
  const CopyFeatures* features_ = nullptr;  // features in the interval added last
  CopyAttention attention_;                 // attention in that interval
  MlpScratch scratch_;

  // The markers that wait for the allele network, at most kMlpWidth.
  size_t size_ = 0;
  float* results_[kMlpWidth];
  alignas(64) float inputs_[kNumAlleleFeatures][kMlpWidth] = {};
  alignas(64) float logit_[kMlpWidth] = {};
  alignas(64) float correction_[kMlpWidth];
  alignas(64) float probability_[kMlpWidth];
};

}  // namespace haplospin
