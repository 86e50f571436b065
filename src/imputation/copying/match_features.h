// The network's inputs for a target and its candidates in one interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "imputation/copying/ancestry.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

inline constexpr size_t kMismatches = 3;

// Rows of the features, each kMaxCandidates long, scaled to about unit size.
namespace copy_feature {
enum Row : size_t {
  kLeft =
      0,  // log cM to the u-th mismatch (row kLeft + 2 u) and log information matched up to it (row kLeft + 2 u + 1)
  kRight = kLeft + 2 * kMismatches,        // the same to the right
  kLogForward = kRight + 2 * kMismatches,  // log forward copying probability, relative to an even one
  kLogBackward,
  kLogForwardToBest,  // the same relative to the best candidate
  kLogBackwardToBest,
  kLogSampleShare,      // log share of the candidate's person in what the study sample copies elsewhere (ancestry.h)
  kLogPopulationShare,  // the same spread over the populations that the study sample resembles (panel_populations.h)
  kCount
};
}  // namespace copy_feature
inline constexpr size_t kNumCopyFeatures = copy_feature::kCount;

// The log copying probabilities are divided by this.
inline constexpr float kLogProbabilityUnit = 5;

// Factors of the other rows, and bounds of what they are logarithms of.
inline constexpr float kMismatchScale = 1.0f / 3;
inline constexpr float kAncestryScale = 0.3f;
inline constexpr float kMinCentimorgans = 1e-3f;
inline constexpr float kMinCopyingProbability = 1e-12f;

struct CopyFeatures {
  alignas(64) float values[kNumCopyFeatures][kMaxCandidates] = {};
  alignas(64) float at_left[kMaxCandidates] = {}, at_right[kMaxCandidates] = {};  // of CopyCandidates
};

struct FeatureInputs;  // kernels/feature_kernels.h

// Workspace of one thread. Intervals of a target must be visited in ascending order.
class MatchFeatures {
 public:
  // `ancestry` is that of the target's sample whenever a target is started.
  MatchFeatures(const TypedPanel& panel, const Ancestry& ancestry);

  void StartTarget(const TargetHaplotype& target, const CopyCandidates& candidates);

  // Fills the features of an interval's candidates; slots up to PaddedCount() get those of its
  // first candidate.
  void Fill(size_t interval, CopyFeatures& features);

  // Memory of each panel haplotype.
  static constexpr size_t BytesOfHaplotype() { return sizeof(Mismatches); }

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
  void Search(uint32_t haplotype, int32_t interval, Mismatches& found) const;
  void AddMismatches(const Mismatches& found, size_t interval, float middle, size_t k, FeatureInputs& inputs) const;

  const TypedPanel& panel_;
  const Ancestry& ancestry_;
  const TargetHaplotype* target_ = nullptr;
  const CopyCandidates* candidates_ = nullptr;
  std::vector<float> information_;  // [m + 1] matched left of each typed marker if all agree
  std::vector<Mismatches> cache_;   // [haplotypes]
  uint32_t target_count_ = 0;
};

}  // namespace haplospin
