// The states of the Li-Stephens recursions for a target: the haplotypes of the panel that it may copy, marker by
// marker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/haplotype_matches.h"
#include "genotypes/imputation/models/copying/haplotype_rows.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// A stretch of typed markers at which a state stands for one haplotype of the panel.
struct StateSegment {
  uint32_t begin;  // typed marker; the stretch ends where the next segment of the state begins
  uint32_t haplotype;
};

// A stretch of typed markers [begin, end) where a haplotype must not be copied.
struct ExcludedStretch {
  uint32_t haplotype;
  uint32_t begin;
  uint32_t end;
};

// A state is a composite reference haplotype (Browning et al. 2018, AJHG 103:338): haplotypes of the panel joined one
// after the other, each where it matches the target. Composites bound the cost of a target, whatever the size of the
// panel. An object is the workspace of one thread and serves many targets.
class CopyingStates {
 public:
  // Makes at most `max_states` composites of a target's matches, which must be in the order of FindMatches() and not
  // contain the excluded haplotypes. A haplotype is never in two states at the same marker. If the matches name fewer
  // than kMinStates haplotypes, evenly spaced other haplotypes of the panel are added; without any matches, all of them
  // if they are not more than `max_states`. Where a haplotype is excluded, its state stands for another one, which may
  // be in a second state there. `excluded` must be ascending by haplotype and marker.
  void Assign(const HaplotypeRows& panel, std::span<const HaplotypeMatch> matches, size_t max_states,
              const ExcludedHaplotypes& excluded, std::span<const ExcludedStretch> excluded_stretches = {});
  static constexpr size_t kMinStates = 128;

  // The same without the alleles of the states: site_bits() must not be used.
  void AssignSegments(const HaplotypeRows& panel, std::span<const HaplotypeMatch> matches, size_t max_states,
                      const ExcludedHaplotypes& excluded);

  size_t size() const { return size_; }

  // The number of haplotypes of the panel that can be copied, including those without a state.
  size_t num_copied() const { return num_copied_; }
  size_t num_without_state() const { return num_copied_ - size_; }

  // Bit s is the allele of state s at typed marker j.
  const uint64_t* site_bits(size_t j) const { return bits_.data() + j * words_; }

  // Returns the segments of state s, ascending; the first one stands for all markers before it, too.
  std::span<const StateSegment> segments(size_t s) const { return segments_[s]; }

  // Returns the haplotype that state s stands for at the typed marker on the left of an interval.
  uint32_t haplotype(size_t s, size_t interval) const;

  // Bytes of workspace per panel haplotype.
  static constexpr size_t BytesOfHaplotype() { return sizeof(LastState); }

 private:
  class Placement;

  // The last state of a haplotype.
  struct LastState {
    uint32_t state = UINT32_MAX;  // UINT32_MAX: never had a state
    uint32_t free_from = 0;       // typed marker at which the haplotype lost that state
  };

  void AddEvenlySpaced(size_t count, size_t num_haplotypes, const ExcludedHaplotypes& excluded);
  void Exclude(const HaplotypeRows& panel, std::span<const ExcludedStretch> excluded_stretches,
               const ExcludedHaplotypes& excluded);
  void CopyBits(const HaplotypeRows& panel);

  size_t size_ = 0;
  size_t num_copied_ = 0;
  size_t words_ = 0;                                 // words of bits per typed marker
  std::vector<uint64_t> bits_;                       // [typed, words_]
  std::vector<std::vector<StateSegment>> segments_;  // [max_states] memory is reused; size_ of them are in use
  std::vector<uint64_t> rows_;                       // [kSquareSize, words of a row] workspace: alleles of states
  std::vector<LastState> last_states_;               // [haplotypes] workspace
};

// Samples of a study whose matches are searched together: enough to share a sort of the panel, few enough for memory.
inline constexpr size_t kSamplesAtATime = 256;

struct StateOptions {
  size_t max_states = 768;  // per target
  MatchOptions matches;
};

// Whose matches the states are made of.
enum class StateTargets {
  kOne,         // target t
  kOneWithFew,  // target t, with as many states as suffice to count its switches and mismatches
  kBoth,  // t and t + 1, which must have the same excluded haplotypes: in a large panel, up to twice as many states
  kBothWithFew  // the same, but in a small panel only as many states as distinguish what the two targets copy
};

// The matches of many targets, from which the states of each are made.
class StateSelection {
 public:
  // Searches the panel for the matches of all targets, on all threads. The panel must outlive the selection.
  StateSelection(const TypedPanel& panel, std::span<const TargetHaplotype* const> targets, const StateOptions& options);

  // Sets the states of target t, or those that serve t and t + 1. Several threads may call it, each with its own
  // `states`.
  void Get(size_t t, StateTargets targets, CopyingStates& states) const;

  // Leaves out the alleles of the states, as CopyingStates::AssignSegments().
  void GetSegments(size_t t, StateTargets targets, CopyingStates& states) const;

 private:
  std::span<const HaplotypeMatch> Matches(size_t t, StateTargets targets, std::vector<HaplotypeMatch>& merged) const;
  size_t MaxStates(StateTargets targets) const;

  const TypedPanel& panel_;
  const StateOptions options_;
  std::vector<ExcludedHaplotypes> excluded_;                // [targets]
  const std::vector<std::vector<HaplotypeMatch>> matches_;  // [targets]
};

}  // namespace haplospin
