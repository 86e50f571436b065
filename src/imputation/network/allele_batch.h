// Markers of one target that wait for the second half of the network, a vector's worth at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "imputation/network/allele_features.h"
#include "imputation/network/network_kernels.h"

namespace haplospin {

class AlleleBatch {
 public:
  AlleleBatch(const PackedMlp& network, float panel_share) : network_(network), panel_share_(panel_share) {}

  // `write(marker, p)` receives the probability of the minor allele, now or in a later call.
  template <typename Write>
  void Add(size_t marker, const MarkerFeatures& features, const CopyFeatures& copy, const CopyAttention& attention,
           const CandidateMask& carriers, size_t num_candidates, Write&& write) {
    FillColumn(features, copy, attention, carriers, num_candidates);
    markers_[size_++] = marker;
    if (size_ == kMlpWidth) Flush(write);
  }

  template <typename Write>
  void Flush(Write&& write) {
    if (size_ == 0) return;
    Run();
    for (size_t k = 0; k < size_; ++k) write(markers_[k], probability_[k]);
    size_ = 0;
  }

 private:
  void FillColumn(const MarkerFeatures& features, const CopyFeatures& copy, const CopyAttention& attention,
                  const CandidateMask& carriers, size_t num_candidates);
  void Run();

  const PackedMlp& network_;
  float panel_share_;
  size_t size_ = 0;
  size_t markers_[kMlpWidth];
  alignas(64) float inputs_[kNumAlleleFeatures][kMlpWidth] = {};
  alignas(64) float logit_[kMlpWidth] = {};
  alignas(64) float correction_[kMlpWidth];
  alignas(64) float probability_[kMlpWidth];
  MlpScratch scratch_;
};

}  // namespace haplospin
