#include "haplospin/imputation/ancestry.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr float kBlockCentimorgans = 1;
constexpr float kEvenCentimorgans = 0.5f;  // of even copying that every sample is given beforehand

}  // namespace

Ancestry::Ancestry(const ArrayPanel& panel, const PanelPopulations& populations, const std::vector<uint32_t>& sample_of,
                   size_t num_samples)
    : panel_(panel),
      populations_(populations),
      sample_of_(sample_of),
      num_samples_(num_samples),
      block_of_(panel.num_intervals()) {
  const size_t m = panel.num_typed();
  const auto cm = panel.centimorgans();
  const float span = cm[m] - cm[1];
  num_blocks_ = std::max<size_t>(1, static_cast<size_t>(std::ceil(span / kBlockCentimorgans)));
  const float width = std::max(span / static_cast<float>(num_blocks_), 1e-6f);
  for (size_t i = 0; i <= m; ++i) {
    const float from_first = std::max(panel.middle(i) - cm[1], 0.0f);
    block_of_[i] = static_cast<uint32_t>(std::min(static_cast<size_t>(from_first / width), num_blocks_ - 1));
  }
  log_shares_.resize(num_blocks_ * num_samples_);
  Clear();
}

void Ancestry::Clear() {
  copied_.assign(num_blocks_ * num_samples_, 0);
  block_length_.assign(num_blocks_, 0);
}

void Ancestry::Add(const CopyCandidates& candidates) {
  ForEachCopied(panel_, candidates, sample_of_, [&](uint32_t anchor, uint32_t sample, float centimorgans) {
    copied_[block_of_[anchor] * num_samples_ + sample] += centimorgans;
  });
  for (uint32_t anchor : panel_.anchors()) block_length_[block_of_[anchor]] += panel_.anchor_length(anchor);
}

void Ancestry::Finish() {
  std::vector<float> everywhere(num_samples_, 0);
  float whole = 0;
  for (size_t b = 0; b < num_blocks_; ++b) {
    whole += block_length_[b];
    for (size_t s = 0; s < num_samples_; ++s) everywhere[s] += copied_[b * num_samples_ + s];
  }
  populations_.LogShares(everywhere, whole, population_log_shares_);
  for (size_t b = 0; b < num_blocks_; ++b) {
    const size_t first = b == 0 ? 0 : b - 1;
    const size_t last = std::min(b + 1, num_blocks_ - 1);
    float* shares = log_shares_.data() + b * num_samples_;
    std::copy(everywhere.begin(), everywhere.end(), shares);
    float outside = whole;
    for (size_t near = first; near <= last; ++near) {
      outside -= block_length_[near];
      for (size_t s = 0; s < num_samples_; ++s) shares[s] -= copied_[near * num_samples_ + s];
    }
    outside = std::max(outside, 0.0f);
    const float even = static_cast<float>(num_samples_);
    for (size_t s = 0; s < num_samples_; ++s) {
      shares[s] = std::log((std::max(shares[s], 0.0f) * even + kEvenCentimorgans) / (outside + kEvenCentimorgans));
    }
  }
}

}  // namespace haplospin
