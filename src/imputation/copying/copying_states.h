// The states of the Li-Stephens recursions for one target: which haplotypes of the panel it may copy, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "imputation/copying/haplotype_matches.h"
#include "imputation/copying/haplotype_rows.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// From a typed marker on, a state stands for this haplotype.
struct StateSegment {
  uint32_t begin;
  uint32_t haplotype;
};

// Each state is a composite reference haplotype (Browning et al. 2018, AJHG 103:338): haplotypes of the panel joined
// one after the other, each where it matches the target. Composites bound the cost of a target, whatever the size of
// the panel: they are its inducing points.
//
// Workspace of one thread: one object serves many targets. The panel must outlive its use.
class CopyingStates {
 public:
  // At most `max_states` composites of a target's matches, which must be in the order of FindMatches() and not contain
  // the excluded haplotypes. A haplotype is never in two states at the same marker. If the matches name fewer than
  // kMinStates haplotypes, evenly spaced other haplotypes of the panel are added.
  void Assign(const HaplotypeRows& panel, std::span<const HaplotypeMatch> matches, size_t max_states,
              const ExcludedHaplotypes& excluded);
  static constexpr size_t kMinStates = 128;

  size_t size() const { return size_; }

  // The number of haplotypes of the panel that can be copied, including those without a state.
  size_t num_copied() const { return num_copied_; }
  size_t num_without_state() const { return num_copied_ - size_; }

  // Bit s is the allele of state s at typed marker j.
  const uint64_t* site_bits(size_t j) const { return bits_.data() + j * words_; }

  // Of state s, ascending; the first one stands for all before it.
  std::span<const StateSegment> segments(size_t s) const { return segments_[s]; }

  // The haplotype that state s stands for in an interval: that of the typed marker on its left.
  uint32_t haplotype(size_t s, size_t interval) const;

  // Memory of each panel haplotype.
  static constexpr size_t BytesOfHaplotype() { return sizeof(LastState); }

 private:
  class Placement;

  // Of a haplotype: its last state, and the marker where it lost that state.
  struct LastState {
    uint32_t state = UINT32_MAX;  // none
    uint32_t free_from = 0;
  };

  void AddEvenlySpaced(size_t count, size_t num_haplotypes, const ExcludedHaplotypes& excluded);
  void CopyBits(const HaplotypeRows& panel);

  size_t size_ = 0;
  size_t num_copied_ = 0;
  size_t words_ = 0;                                 // of a typed marker
  std::vector<uint64_t> bits_;                       // [typed, words_]
  std::vector<std::vector<StateSegment>> segments_;  // [states], kept for their memory beyond size_
  std::vector<uint64_t> rows_;                       // alleles of some states, workspace
  std::vector<LastState> last_states_;               // [haplotypes] workspace
};

}  // namespace haplospin
