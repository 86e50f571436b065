// The candidates: reference haplotypes that match a target best in each interval, over which the network attends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_constants.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/forward_backward.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// Slots up to the next multiple are filled.
inline constexpr size_t PaddedCount(size_t count) {
  return (count + kCandidateStep - 1) / kCandidateStep * kCandidateStep;
}

// The candidates of one target in a window; only anchors have candidates.
struct CopyCandidates {
  std::vector<uint16_t> count;       // [intervals] at most kMaxCandidates
  std::vector<uint32_t> first_slot;  // [intervals] slot of the first candidate; the others follow
  std::vector<uint32_t> haplotype;   // [slots]

  // [slots] copying probability in the middle of the interval given the alleles on the left, or right, times the number
  // of haplotypes that can be copied
  std::vector<float> forward, backward;

  // [slots] factors of forward * backward at the left and right end of the interval. What is copied changes between two
  // typed markers from one candidate to another.
  std::vector<float> at_left, at_right;

  // Removes all candidates.
  void Reset(size_t intervals);

  // Adds slots for the candidates of interval i and returns the first.
  size_t AddSlots(size_t i, size_t num_candidates);

  std::span<const uint32_t> haplotypes(size_t i) const { return {haplotype.data() + first_slot[i], count[i]}; }
};

// The search for candidates; the workspace of one thread.
class CandidateFinder {
 public:
  explicit CandidateFinder(const CopyingOptions& options = {})
      : max_candidates_(options.max_candidates), min_product_(options.min_product) {}

  // Keeps in each anchor the states with the largest product of forward and backward probability: those above
  // `min_product` times the largest, at most `max_candidates`. Unless empty, `left_out` [typed] receives the
  // probability of ALT at each typed marker given all other alleles. Unless empty, `weight` [intervals] excludes
  // intervals of weight 0: they get no candidates, and `left_out` is 0 at the typed marker on their right.
  void Find(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
            const CopyingStates& states, CopyCandidates& candidates, std::span<float> left_out = {},
            std::span<const float> weight = {});

 private:
  struct Cut {
    float value;
    size_t ties;  // number of values equal to it that are kept
  };

  void FindBest(float largest);
  Cut FindCut(size_t size, float min_value, float largest, size_t rank);

  size_t max_candidates_;
  float min_product_;
  ForwardBackward recursions_;
  std::vector<float> products_;  // [states] forward * backward in one interval
  std::vector<uint32_t> found_;  // [states] the best states, ascending; num_found_ of them are in use
  std::vector<float> values_;    // [states] products of the states in found_
  size_t num_found_ = 0;
  std::vector<uint32_t> counts_;
  std::vector<float> ranked_;
  float cut_share_ = 0;  // smallest product kept in the last interval, relative to the largest; 0 if all were kept
};

}  // namespace haplospin
