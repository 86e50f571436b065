#include "genotypes/imputation/models/copying/copying_states.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "genotypes/genomics/bit_transpose.h"
#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint32_t kNoState = UINT32_MAX;
constexpr size_t kMatchesAhead = 16;  // distance of prefetching, as a large panel does not fit into a cache

// Copies bits [begin, end) of a row.
void CopyBitRange(const uint64_t* from, size_t begin, size_t end, uint64_t* to) {
  for (size_t word = begin / 64; word * 64 < end; ++word) {
    uint64_t mask = ~uint64_t{0};
    if (word == begin / 64) mask &= ~uint64_t{0} << (begin % 64);
    if ((word + 1) * 64 > end) mask &= ~uint64_t{0} >> (64 - end % 64);
    to[word] = (to[word] & ~mask) | (from[word] & mask);
  }
}

// Copies alleles [begin, end) of a haplotype.
void CopyAlleles(const HaplotypeRows& panel, size_t haplotype, size_t begin, size_t end, uint64_t* to) {
  constexpr size_t kGroup = DistinctHaplotypes::kMaxMarkers;
  static_assert(kGroup % 64 == 0);
  if (panel.groups.empty()) return CopyBitRange(panel.row(haplotype), begin, end, to);
  for (size_t g = begin / kGroup; g * kGroup < end; ++g) {
    const DistinctHaplotypes& group = panel.groups[g];
    const size_t first = g * kGroup;
    CopyBitRange(group.row(group.row_of(haplotype)).data(), std::max(begin, first) - first,
                 std::min(end - first, group.num_markers()), to + first / 64);
  }
}

// A panel of fewer than 2,000 haplotypes would have as few as 144 states by StatesForBoth(). No experiment supports
// this higher value.
constexpr size_t kFewStates = 256;

// States of a haplotype whose switches and mismatches are counted, in a panel that is not large.
constexpr size_t kStatesToFit = 512;

// Returns the number of states that hold the matches of two targets around any block: 288 in panels of 2,000 to 5,000
// haplotypes, which are enough to find errors of phase with 12 matches in a panel of any size (docs/method.md).
size_t StatesForBoth(const StateOptions& options) {
  constexpr size_t kBlockMatches = 24;  // matches in a block, per match that is kept for each target and direction
  return kBlockMatches * options.matches.per_block;
}

std::span<const ExcludedStretch> StretchesOfHaplotype(std::span<const ExcludedStretch> excluded_stretches,
                                                      uint32_t haplotype) {
  const auto range = std::ranges::equal_range(excluded_stretches, haplotype, {}, &ExcludedStretch::haplotype);
  return {range.begin(), range.end()};
}

// Returns a haplotype that is not excluded anywhere in a stretch; if all are, the haplotype of the stretch. Haplotypes
// are tried in steps that leave a run of excluded ones at once, and visit all.
uint32_t Substitute(std::span<const ExcludedStretch> excluded_stretches, const ExcludedStretch& stretch,
                    size_t num_haplotypes, const ExcludedHaplotypes& excluded) {
  const auto overlaps = [&](const ExcludedStretch& other) {
    return other.begin < stretch.end && stretch.begin < other.end;
  };
  size_t step = std::max<size_t>(1, num_haplotypes * 3 / 8);
  while (std::gcd(step, num_haplotypes) != 1) ++step;
  for (size_t k = 1; k < num_haplotypes; ++k) {
    const auto h = static_cast<uint32_t>((stretch.haplotype + k * step) % num_haplotypes);
    const bool is_excluded = std::ranges::find(excluded.span(), h) != excluded.span().end();
    if (!is_excluded && std::ranges::none_of(StretchesOfHaplotype(excluded_stretches, h), overlaps)) return h;
  }
  return stretch.haplotype;
}

}  // namespace

// Gives the haplotypes of matches to states, in the order of the matches' first markers. A haplotype that has a state
// keeps it. Another one gets a new state or, if all are in use, the state whose last match ended first, beginning
// halfway between the two matches.
class CopyingStates::Placement {
 public:
  Placement(CopyingStates& states, size_t max_states) : states_(states), max_states_(max_states), end_of_(max_states) {}

  void Add(const HaplotypeMatch& match) {
    const uint32_t held = states_.last_states_[match.haplotype].state;
    if (held != kNoState && states_.segments_[held].back().haplotype == match.haplotype) {
      if (match.end > end_of_[held]) SetEnd(held, match.end);
    } else if (states_.size_ < max_states_) {
      states_.segments_[states_.size_].clear();
      Give(static_cast<uint32_t>(states_.size_++), 0, match);
    } else {
      Replace(match);
    }
  }

 private:
  // The last match of a state, ordered by its end.
  struct LastMatch {
    uint32_t end;  // typed marker
    uint32_t state;
    auto operator<=>(const LastMatch&) const = default;
  };

  void SetEnd(uint32_t state, uint32_t end) {
    end_of_[state] = end;
    first_to_end_.push({end, state});
  }

  void Give(uint32_t state, uint32_t begin, const HaplotypeMatch& match) {
    states_.segments_[state].push_back({begin, match.haplotype});
    states_.last_states_[match.haplotype].state = state;
    SetEnd(state, match.end);
  }

  void Replace(const HaplotypeMatch& match) {
    while (first_to_end_.top().end != end_of_[first_to_end_.top().state])
      first_to_end_.pop();  // outdated: the state has a later match
    const auto [last_end, state] = first_to_end_.top();
    if (last_end >= match.end) return;
    const StateSegment last = states_.segments_[state].back();
    uint32_t begin = last_end < match.begin ? last_end + (match.begin - last_end) / 2 : match.begin;
    begin = std::max(begin, last.begin + 1);
    const LastState& own = states_.last_states_[match.haplotype];
    if (own.state != kNoState) begin = std::max(begin, own.free_from);
    if (begin >= match.end) return;
    first_to_end_.pop();
    states_.last_states_[last.haplotype].free_from = begin;
    Give(state, begin, match);
  }

  CopyingStates& states_;
  size_t max_states_;
  std::vector<uint32_t> end_of_;  // [states] end of the last match
  std::priority_queue<LastMatch, std::vector<LastMatch>, std::greater<>> first_to_end_;  // outdated ends are skipped
};

void CopyingStates::Assign(const HaplotypeRows& panel, std::span<const HaplotypeMatch> matches, size_t max_states,
                           const ExcludedHaplotypes& excluded, std::span<const ExcludedStretch> excluded_stretches) {
  AssignSegments(panel, matches, max_states, excluded);
  if (!excluded_stretches.empty()) Exclude(panel, excluded_stretches, excluded);
  CopyBits(panel);
}

// Cuts the excluded stretches out of all segments.
void CopyingStates::Exclude(const HaplotypeRows& panel, std::span<const ExcludedStretch> excluded_stretches,
                            const ExcludedHaplotypes& excluded) {
  const auto num_markers = static_cast<uint32_t>(panel.num_markers);
  std::vector<StateSegment> cut;
  for (size_t s = 0; s < size_; ++s) {
    std::vector<StateSegment>& segments = segments_[s];
    cut.clear();
    for (size_t k = 0; k < segments.size(); ++k) {
      const uint32_t haplotype = segments[k].haplotype;
      const uint32_t end = k + 1 < segments.size() ? segments[k + 1].begin : num_markers;
      uint32_t begin = k == 0 ? 0 : segments[k].begin;
      for (const ExcludedStretch& stretch : StretchesOfHaplotype(excluded_stretches, haplotype)) {
        if (stretch.end <= begin || stretch.begin >= end) continue;
        if (stretch.begin > begin) cut.push_back({begin, haplotype});
        cut.push_back(
            {std::max(begin, stretch.begin), Substitute(excluded_stretches, stretch, panel.num_haplotypes, excluded)});
        begin = stretch.end;
      }
      if (begin < end) cut.push_back({begin, haplotype});
    }
    segments = cut;
  }
}

void CopyingStates::AssignSegments(const HaplotypeRows& panel, std::span<const HaplotypeMatch> matches,
                                   size_t max_states, const ExcludedHaplotypes& excluded) {
  size_ = 0;
  num_copied_ = panel.num_haplotypes - excluded.count;
  segments_.resize(max_states);
  last_states_.resize(panel.num_haplotypes);

  Placement placement(*this, max_states);
  for (size_t k = 0; k < matches.size(); ++k) {
    if (k + kMatchesAhead < matches.size()) __builtin_prefetch(&last_states_[matches[k + kMatchesAhead].haplotype]);
    placement.Add(matches[k]);
  }
  const bool are_all = matches.empty() && num_copied_ <= max_states;
  AddEvenlySpaced(are_all ? num_copied_ : std::min({kMinStates, max_states, num_copied_}), panel.num_haplotypes,
                  excluded);
  for (const HaplotypeMatch& match : matches) last_states_[match.haplotype].state = kNoState;
}

// Adds states of single haplotypes until there are `count`.
void CopyingStates::AddEvenlySpaced(size_t count, size_t num_haplotypes, const ExcludedHaplotypes& excluded) {
  const size_t spacing = std::max<size_t>(num_haplotypes / std::max<size_t>(count, 1), 1);
  for (size_t first = 0; first < spacing && size_ < count; ++first) {
    for (size_t h = first; h < num_haplotypes && size_ < count; h += spacing) {
      const bool is_excluded = std::ranges::find(excluded.span(), h) != excluded.span().end();
      if (last_states_[h].state == kNoState && !is_excluded)
        segments_[size_++].assign(1, {0, static_cast<uint32_t>(h)});
    }
  }
}

void CopyingStates::CopyBits(const HaplotypeRows& panel) {
  const size_t m = panel.num_markers;
  const size_t row_words = panel.words();
  words_ = WordsOf(size_);
  bits_.resize(m * words_);
  rows_.assign(kSquareSize * row_words, 0);
  for (size_t first = 0; first < size_; first += kSquareSize) {
    const size_t count = std::min(kSquareSize, size_ - first);
    for (size_t s = first; panel.groups.empty() && s < first + count; ++s) {
      for (const StateSegment& segment : segments_[s]) __builtin_prefetch(panel.row(segment.haplotype));
    }
    for (size_t s = 0; s < count; ++s) {
      const std::vector<StateSegment>& segments = segments_[first + s];
      for (size_t k = 0; k < segments.size(); ++k) {
        const size_t begin = k == 0 ? 0 : segments[k].begin;
        const size_t end = k + 1 < segments.size() ? segments[k + 1].begin : m;
        CopyAlleles(panel, segments[k].haplotype, begin, end, rows_.data() + s * row_words);
      }
    }
    TransposeRows(std::span(rows_).first(count * row_words), row_words, m, bits_.data() + first / 64, words_);
  }
}

uint32_t CopyingStates::haplotype(size_t s, size_t interval) const {
  const std::vector<StateSegment>& segments = segments_[s];
  const auto marker = static_cast<uint32_t>(interval == 0 ? 0 : interval - 1);
  size_t k = segments.size() - 1;
  while (k > 0 && segments[k].begin > marker) --k;
  return segments[k].haplotype;
}

StateSelection::StateSelection(const TypedPanel& panel, std::span<const TargetHaplotype* const> targets,
                               const StateOptions& options)
    : panel_(panel), options_(options), matches_(FindMatches(panel.rows(), targets, options.matches)) {
  for (const TargetHaplotype* target : targets) excluded_.push_back(target->excluded);
}

void StateSelection::Get(size_t t, StateTargets targets, CopyingStates& states) const {
  std::vector<HaplotypeMatch> merged;
  states.Assign(panel_.rows(), Matches(t, targets, merged), MaxStates(targets), excluded_[t]);
}

void StateSelection::GetSegments(size_t t, StateTargets targets, CopyingStates& states) const {
  std::vector<HaplotypeMatch> merged;
  states.AssignSegments(panel_.rows(), Matches(t, targets, merged), MaxStates(targets), excluded_[t]);
}

// Returns the matches of target t, or those of two targets, which are merged into `merged`.
std::span<const HaplotypeMatch> StateSelection::Matches(size_t t, StateTargets targets,
                                                        std::vector<HaplotypeMatch>& merged) const {
  if (targets == StateTargets::kOne || targets == StateTargets::kOneWithFew) return matches_[t];
  merged = MergeMatches(matches_[t], matches_[t + 1]);
  return merged;
}

size_t StateSelection::MaxStates(StateTargets targets) const {
  if (targets == StateTargets::kOne) return options_.max_states;
  if (targets == StateTargets::kOneWithFew) {
    return std::clamp(StatesForBoth(options_), std::min(kStatesToFit, options_.max_states), options_.max_states);
  }
  const size_t least = targets == StateTargets::kBoth ? options_.max_states : std::min(kFewStates, options_.max_states);
  return std::clamp(StatesForBoth(options_), least, 2 * options_.max_states);
}

}  // namespace haplospin
