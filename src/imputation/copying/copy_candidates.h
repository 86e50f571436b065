// The reference haplotypes that match a target best in each interval: the inducing points of its neural process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

inline constexpr size_t kMaxCandidates = 96;

// Vector loops over candidates take this many at a time, so slots up to the next multiple are filled.
inline constexpr size_t kCandidateStep = 16;
inline constexpr size_t PaddedCount(size_t count) {
  return (count + kCandidateStep - 1) / kCandidateStep * kCandidateStep;
}

// The candidates of one target in a window; only anchors have candidates.
struct CopyCandidates {
  std::vector<uint16_t> count;       // [intervals] at most kMaxCandidates
  std::vector<uint32_t> first_slot;  // [intervals] of the candidates of each, which have adjacent slots
  std::vector<uint32_t> haplotype;   // [slots]
  std::vector<float> forward;        // [slots] copying probability given what lies left, times n
  std::vector<float> backward;       // [slots] the same for what lies right
  // [slots] The product of both is of the middle of the interval. At its left and right end it is this times as large:
  // between two typed markers, what is copied changes from one candidate to another.
  std::vector<float> at_left, at_right;

  // No candidates yet.
  void Reset(size_t intervals);

  // Slots for the candidates of interval i: returns the first.
  size_t AddSlots(size_t i, size_t num_candidates);

  std::span<const uint32_t> haplotypes(size_t i) const { return {haplotype.data() + first_slot[i], count[i]}; }
};

// Workspace of one thread.
class CandidateFinder {
 public:
  // `min_product`: that of CopyingOptions.
  explicit CandidateFinder(float min_product = CopyingOptions{}.min_product);
  ~CandidateFinder();
  CandidateFinder(CandidateFinder&&) noexcept;

  // Keeps in each anchor the states with the largest product of forward and backward probability: those above
  // `min_product` times the largest, at most kMaxCandidates.
  // `left_out`, unless empty, receives each typed marker's ALT probability given all other alleles: [typed].
  // `weight`, unless empty: intervals of weight 0 get no candidates, and their left typed marker 0 in `left_out`.
  void Find(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
            const CopyingStates& states, CopyCandidates& candidates, std::span<float> left_out = {},
            std::span<const float> weight = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace haplospin
