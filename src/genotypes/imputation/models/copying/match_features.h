// The copy network's inputs for a target and its candidates in one interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "genotypes/imputation/models/copying/ancestry.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/copying_constants.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// Rows of copy_feature.
struct CopyFeatures {
  alignas(64) float values[kNumCopyFeatures][kMaxCandidates] = {};
  alignas(64) float at_left[kMaxCandidates] = {}, at_right[kMaxCandidates] = {};  // copies of those of CopyCandidates
};

// The mismatches of the candidates on one side of an interval, the nearest first.
struct MismatchRows {
  alignas(64) float centimorgans[kMismatches][kMaxCandidates];  // distance from the middle of the interval
  alignas(64) float information[kMismatches][kMaxCandidates];   // matched between it and the mismatch before
};

struct FeatureInputs {
  MismatchRows left, right;
  alignas(64) float forward[kMaxCandidates];
  alignas(64) float backward[kMaxCandidates];
  alignas(64) float log_share[kMaxCandidates];
  alignas(64) float population_log_share[kMaxCandidates];
};

// Computes the features of the first `count` candidates, a multiple of kCandidateStep, with the vector instructions of
// the machine (feature_kernels.cpp).
void ComputeFeatures(const FeatureInputs& inputs, size_t count, CopyFeatures& features);

// The workspace of one thread. Intervals of a target must be visited in ascending order. The panel and the ancestry
// must outlive it; a target and its candidates must stay until the next StartTarget().
class MatchFeatures {
 public:
  // Whenever a target is started, `ancestry` must hold the estimate for its sample.
  MatchFeatures(const TypedPanel& panel, const Ancestry& ancestry);

  void StartTarget(const TargetHaplotype& target, const CopyCandidates& candidates);

  // Fills the features of an interval's candidates; slots up to PaddedCount() get those of its first candidate.
  void Fill(size_t interval, CopyFeatures& features);

  // Bytes of workspace per panel haplotype.
  static constexpr size_t BytesOfHaplotype() { return sizeof(Mismatches); }

 private:
  // The typed markers at which a haplotype and the target differ, nearest to an interval.
  struct Mismatches {
    int32_t left[kMismatches];   // descending; -1 where there is none
    int32_t right[kMismatches];  // ascending; the number of typed markers where there is none
    int32_t at;                  // interval
    uint32_t target;             // target_count_ of the target; entries of other targets are stale
  };

  const Mismatches& Find(uint32_t haplotype, int32_t interval);
  void Search(uint32_t haplotype, int32_t interval, Mismatches& found) const;
  void AddMismatches(const Mismatches& found, size_t interval, float middle, size_t k, FeatureInputs& inputs) const;

  const TypedPanel& panel_;
  const Ancestry& ancestry_;
  const TargetHaplotype* target_ = nullptr;
  const CopyCandidates* candidates_ = nullptr;
  std::vector<float> information_;  // [typed + 1] information of the target's alleles before each typed marker
  std::vector<Mismatches> cache_;   // [haplotypes]
  uint32_t target_count_ = 0;
};

}  // namespace haplospin
