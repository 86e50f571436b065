// Markers of one target that are buffered for the allele network, one vector at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "imputation/network/allele_features.h"
#include "imputation/network/network_kernels.h"

namespace haplospin {

class AlleleBatch {
 public:
  AlleleBatch(const PackedMlp& network, float panel_share) : network_(network), panel_share_(panel_share) {}

  // As CpuComputation::AddMarker(); `minor_probability` is set in Flush() or before.
  void Add(const MarkerFeatures& marker, float regression, const CopyFeatures& copy, const CopyAttention& attention,
           const CandidateMask& carriers, float* minor_probability);
  void Flush();

 private:
  void FillColumn(const MarkerFeatures& marker, float regression, const CopyFeatures& copy,
                  const CopyAttention& attention, const CandidateMask& carriers);

  const PackedMlp& network_;
  float panel_share_;
  size_t size_ = 0;
  float* results_[kMlpWidth];
  alignas(64) float inputs_[kNumAlleleFeatures][kMlpWidth] = {};
  alignas(64) float logit_[kMlpWidth] = {};
  alignas(64) float correction_[kMlpWidth];
  alignas(64) float probability_[kMlpWidth];
  MlpScratch scratch_;
};

}  // namespace haplospin
