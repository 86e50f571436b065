// What the network sees of a target and its candidates in one interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "imputation/copying/ancestry.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// Rows of the features, each kMaxCandidates long, scaled to about unit size.
// 0-5    to the left: log cM to the first mismatch, log information matched up to it, and so for the second and third
// 6-11   to the right
// 12,13  log of the forward and of the backward copying probability, relative to an even one
// 14,15  the same relative to the best candidate
// 16     log share of the candidate's person in what the study sample copies elsewhere (ancestry.h)
// 17     the same spread over the populations that the study sample resembles (panel_populations.h)
inline constexpr size_t kNumCopyFeatures = 18;
inline constexpr size_t kMismatches = 3;

struct CopyFeatures {
  alignas(64) float values[kNumCopyFeatures][kMaxCandidates];
};

// Workspace of one thread. Intervals of a target must be visited in ascending order.
class MatchFeatures {
 public:
  void StartTarget(const TypedPanel& panel, const TargetHaplotype& target, const CopyCandidates& candidates,
                   const Ancestry& ancestry, const std::vector<uint32_t>& sample_of);

  // Fills the features of an interval's candidates; unused slots get those of its first candidate.
  void Fill(size_t interval, CopyFeatures& features);

 private:
  // The mismatches nearest to the interval `at`, as typed markers: left ones descending (-1: none), right ones
  // ascending (m: none).
  struct Mismatches {
    int32_t left[kMismatches];
    int32_t right[kMismatches];
    int32_t at;
    uint32_t target;  // counts targets: older entries are stale
  };

  const Mismatches& Find(uint32_t haplotype, int32_t interval);

  const TypedPanel* panel_ = nullptr;
  const TargetHaplotype* target_ = nullptr;
  const CopyCandidates* candidates_ = nullptr;
  const Ancestry* ancestry_ = nullptr;
  const std::vector<uint32_t>* sample_of_ = nullptr;
  std::vector<float> information_;  // [m + 1] matched left of each typed marker if all agree
  std::vector<Mismatches> cache_;   // [haplotypes]
  uint32_t target_count_ = 0;
};

}  // namespace haplospin
