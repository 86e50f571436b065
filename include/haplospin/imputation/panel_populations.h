// Groups of panel people, found from whom they copy: which people of the panel a study sample's relatives at large are,
// also where it has not copied from them itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "haplospin/imputation/array_panel.h"
#include "haplospin/imputation/copy_candidates.h"
#include "haplospin/imputation/copying_model.h"

namespace haplospin {

// A mixture of multinomials: whoever belongs to population k copies panel sample s with probability share(k)[s]; a
// person is a mixture of populations. Fitted by expectation-maximisation (probabilistic latent semantic analysis,
// Hofmann 1999) to what some of the panel's own people copy from the others.
class PanelPopulations {
 public:
  static constexpr size_t kPopulations = 10;

  // Runs on all threads; the result does not depend on their number.
  PanelPopulations(const ArrayPanel& panel, const CopyingModel& model, const std::vector<uint32_t>& sample_of,
                   size_t num_samples);

  // For a person who copies copied[s] cM of each panel sample, `total` in all: the log of the mixture's share of each
  // panel sample, relative to an even one.
  void LogShares(std::span<const float> copied, float total, std::vector<float>& log_shares) const;

 private:
  void Fit(const std::vector<std::vector<float>>& profiles);

  size_t num_samples_;
  std::vector<float> shares_;  // [populations, samples]
};

// Calls visit(anchor, panel sample, cM) for all that a haplotype copies, anchor by anchor.
template <typename Visit>
void ForEachCopied(const ArrayPanel& panel, const CopyCandidates& candidates, const std::vector<uint32_t>& sample_of,
                   Visit&& visit) {
  for (uint32_t anchor : panel.anchors()) {
    const float length = panel.anchor_length(anchor);
    if (length <= 0) continue;
    const size_t first = anchor * kMaxCandidates;
    float total = 0;
    for (size_t k = first; k < first + candidates.count[anchor]; ++k) {
      total += candidates.forward[k] * candidates.backward[k];
    }
    for (size_t k = first; k < first + candidates.count[anchor]; ++k) {
      visit(anchor, sample_of[candidates.haplotype[k]],
            length * candidates.forward[k] * candidates.backward[k] / total);
    }
  }
}

}  // namespace haplospin
