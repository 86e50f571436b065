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

inline constexpr size_t kMaxCandidates = 96;  // a multiple of 48, so that vectors of 4 to 16 lanes divide it in threes

// The candidates of one target in a window; only anchors have candidates. If the panel is smaller, fewer than
// kMaxCandidates slots of an interval are used.
struct CopyCandidates {
  std::vector<uint16_t> count;      // [intervals]
  std::vector<uint32_t> haplotype;  // [intervals, kMaxCandidates]
  std::vector<float> forward;       // [intervals, kMaxCandidates] copying probability given what lies left, times n
  std::vector<float> backward;      // [intervals, kMaxCandidates] the same for what lies right

  void Resize(size_t intervals);
  std::span<const uint32_t> haplotypes(size_t i) const { return {&haplotype[i * kMaxCandidates], count[i]}; }
};

// Workspace of one thread.
class CandidateFinder {
 public:
  CandidateFinder();
  ~CandidateFinder();
  CandidateFinder(CandidateFinder&&) noexcept;

  // Keeps in each anchor the kMaxCandidates states with the largest product of forward and backward probability.
  // `left_out`, unless empty, receives each typed marker's ALT probability given all other alleles: [typed].
  void Find(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
            const CopyingStates& states, CopyCandidates& candidates, std::span<float> left_out = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace haplospin
