#include "genotypes/imputation/models/copying/haplotype_matches.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <numeric>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMaxKmer = 8;  // typed markers; a K-mer fits in a byte

// Where markers are far apart, a block has this many all the same, unless it is longer than the limit, cM: with a
// marker each, blocks would cost several times as much, and find the same matches.
constexpr size_t kMinBlockMarkers = 4;
constexpr double kMaxBlockCentimorgans = 1;

// The places in sorted order at which each K-mer begins, and the end.
using CodeStarts = std::array<uint32_t, (size_t{1} << kMaxKmer) + 1>;

// Neighbors often have the same code: with four sets of counters, no addition waits for the one before.
CodeStarts CountCodes(const std::vector<uint8_t>& codes) {
  constexpr size_t kCounters = 4;
  std::array<CodeStarts, kCounters> counts{};
  for (size_t first = 0; first < codes.size(); first += kCounters) {
    const size_t count = std::min(kCounters, codes.size() - first);
    for (size_t i = 0; i < count; ++i) ++counts[i][codes[first + i] + 1];
  }
  CodeStarts start{};
  for (size_t code = 1; code < start.size(); ++code) {
    start[code] = start[code - 1];
    for (const CodeStarts& part : counts) start[code] += part[code];
  }
  return start;
}

// The positional Burrows-Wheeler order: haplotypes sorted by the K-mers seen so far, the last one first. A target is
// not in the order: it has a position, the number of haplotypes before it, so that its neighbors are reference
// haplotypes however many targets there are.
class SortedHaplotypes {
 public:
  SortedHaplotypes(size_t num_haplotypes, size_t num_targets);

  // The K-mers of the next block must be written here before each Sort().
  std::vector<uint8_t>& codes() { return codes_; }
  std::vector<uint8_t>& target_codes() { return target_codes_; }

  // Sorts by the present codes, stably, in time proportional to haplotypes + targets.
  void Sort();

  const std::vector<uint32_t>& order() const { return order_; }
  uint32_t position(size_t target) const { return position_[target]; }

  // Returns whether a place in the order has a haplotype with the target's code.
  bool has_code_of(size_t target, std::ptrdiff_t place) const {
    const size_t code = target_codes_[target];
    return place >= starts_[code] && place < starts_[code + 1];
  }

 private:
  std::vector<uint32_t> order_, next_order_;      // [haplotypes]
  std::vector<uint8_t> codes_;                    // [haplotypes]
  CodeStarts starts_;                             // result of CountCodes() in the last sort
  std::vector<uint32_t> position_;                // [targets]
  std::vector<uint32_t> targets_, next_targets_;  // [targets] sorted by position
  std::vector<uint8_t> target_codes_;             // [targets]
};

SortedHaplotypes::SortedHaplotypes(size_t num_haplotypes, size_t num_targets)
    : order_(num_haplotypes),
      next_order_(num_haplotypes),
      codes_(num_haplotypes),
      position_(num_targets),
      targets_(num_targets),
      next_targets_(num_targets),
      target_codes_(num_targets) {
  std::iota(order_.begin(), order_.end(), 0);
  std::iota(targets_.begin(), targets_.end(), 0);
}

void SortedHaplotypes::Sort() {
  starts_ = CountCodes(codes_);
  CodeStarts next = starts_;
  size_t i = 0;
  // Neighbors in the order often have the same code too, so that runs of one code are moved at a time.
  const auto move_haplotypes_to = [&](size_t end) {
    while (i < end) {
      const uint8_t code = codes_[order_[i]];
      uint32_t to = next[code];
      do next_order_[to++] = order_[i++];
      while (i < end && codes_[order_[i]] == code);
      next[code] = to;
    }
  };
  // A target comes after the haplotypes with its code that were before it.
  for (const uint32_t t : targets_) {
    move_haplotypes_to(position_[t]);
    position_[t] = next[target_codes_[t]];
  }
  move_haplotypes_to(order_.size());
  order_.swap(next_order_);

  CodeStarts next_target = CountCodes(target_codes_);
  for (const uint32_t t : targets_) next_targets_[next_target[target_codes_[t]]++] = t;
  targets_.swap(next_targets_);
}

// Orders matches by their first marker; matches with the same one, longest first.
constexpr auto kInOrder = [](const HaplotypeMatch& a, const HaplotypeMatch& b) {
  const auto key = [](const HaplotypeMatch& match) { return uint64_t{match.begin} << 32 | ~match.end; };
  return key(a) != key(b) ? key(a) < key(b) : a.haplotype < b.haplotype;
};

struct Block {
  uint32_t begin;
  uint32_t end;
};

std::vector<Block> DivideIntoBlocks(const HaplotypeRows& reference, const MatchOptions& options) {
  const auto cm = reference.centimorgans;
  const auto belongs = [&](uint32_t begin, uint32_t j) {
    const double length = cm[j] - cm[begin];
    return length <= options.block_centimorgans || (j - begin < kMinBlockMarkers && length <= kMaxBlockCentimorgans);
  };
  std::vector<Block> blocks;
  for (uint32_t begin = 0, end; begin < reference.num_markers; begin = end) {
    end = begin + 1;
    while (end < reference.num_markers && end - begin < options.block_markers && belongs(begin, end)) ++end;
    blocks.push_back({begin, end});
  }
  return blocks;
}

// Bytes with their bits in reversed order.
constexpr std::array<uint8_t, 256> kReversed = [] {
  std::array<uint8_t, 256> reversed{};
  for (int code = 0; code < 256; ++code) {
    for (int bit = 0; bit < 8; ++bit) reversed[code] |= (code >> bit & 1) << (7 - bit);
  }
  return reversed;
}();

// The place of a block's bits in a row.
class BlockBits {
 public:
  explicit BlockBits(const Block& block)
      : word_(block.begin / 64),
        next_((block.end - 1) / 64),
        shift_(block.begin % 64),
        mask_(static_cast<uint8_t>((1u << (block.end - block.begin)) - 1)) {}

  uint8_t Code(const uint64_t* row) const {
    const uint64_t code = row[word_] >> shift_ | (next_ == word_ ? 0 : row[next_] << (64 - shift_));
    return static_cast<uint8_t>(code) & mask_;
  }

 private:
  size_t word_, next_;
  size_t shift_;
  uint8_t mask_;
};

uint8_t TargetCode(const TargetHaplotype& target, const uint64_t* major_bits, const BlockBits& bits) {
  return bits.Code(target.bits.data()) | (bits.Code(major_bits) & ~bits.Code(target.observed.data()));
}

constexpr size_t kBlocksAhead = 8;           // number of blocks whose K-mers are read from the rows together
constexpr size_t kHaplotypesAtATime = 1024;  // number of haplotypes whose rows fit into a cache

// A target's matches of one block on one side of it in the sorted order, the nearest first. The sort is stable: matches
// that go on through the next block are met there in the same order, and before any others.
class KeptMatches {
 public:
  // Returns the match of the haplotype that is met next, or null if it was not kept at the block before.
  const HaplotypeMatch* Next(uint32_t haplotype) {
    while (next_ < matches_.size() && matches_[next_].haplotype != haplotype) ++next_;
    return next_ < matches_.size() ? &matches_[next_] : nullptr;
  }

  // Stores the match in a place that Next() has passed.
  void Keep(const HaplotypeMatch& match) {
    if (num_kept_ == matches_.size()) matches_.emplace_back();
    matches_[num_kept_++] = match;
  }

  void EndBlock() {
    matches_.resize(num_kept_);
    next_ = num_kept_ = 0;
  }

 private:
  std::vector<HaplotypeMatch> matches_;
  size_t next_ = 0;
  size_t num_kept_ = 0;  // matches kept at the present block
};

// A pass over the blocks, forward or backward.
class MatchPass {
 public:
  MatchPass(const HaplotypeRows& reference, std::span<const TargetHaplotype* const> targets,
            const MatchOptions& options, bool forward, std::vector<std::deque<HaplotypeMatch>>& matches)
      : reference_(reference),
        targets_(targets),
        options_(options),
        forward_(forward),
        matches_(matches),
        sorted_(reference.num_haplotypes, targets.size()),
        last_(targets.size()) {}

  void Run(const std::vector<Block>& blocks) {
    for (size_t k = 0; k < blocks.size(); ++k) {
      const Block& block = FindBlock(blocks, k);
      if (k % kBlocksAhead == 0) ReadCodes(blocks, k);
      sorted_.codes().swap(codes_ahead_[k % kBlocksAhead]);
      const BlockBits bits(block);
      for (size_t t = 0; t < targets_.size(); ++t) {
        sorted_.target_codes()[t] = SortCode(TargetCode(*targets_[t], reference_.major_bits, bits));
      }
      sorted_.Sort();
      tbb::parallel_for(size_t{0}, targets_.size(), [&](size_t t) { KeepLongest(t, block); });
    }
  }

 private:
  const Block& FindBlock(const std::vector<Block>& blocks, size_t k) const {
    return blocks[forward_ ? k : blocks.size() - 1 - k];
  }

  // Reads the K-mers of kBlocksAhead blocks of the pass from the k-th on. The rows of a large panel do not fit into a
  // cache, so that all these blocks are read from a part of the haplotypes before the next part.
  void ReadCodes(const std::vector<Block>& blocks, size_t k) {
    const size_t count = std::min(kBlocksAhead, blocks.size() - k);
    for (size_t i = 0; i < count; ++i) codes_ahead_[i].resize(reference_.num_haplotypes);
    for (size_t first = 0; first < reference_.num_haplotypes; first += kHaplotypesAtATime) {
      const size_t end = std::min(first + kHaplotypesAtATime, reference_.num_haplotypes);
      for (size_t i = 0; i < count; ++i) {
        ReadCodes(FindBlock(blocks, k + i), first, end, codes_ahead_[i].data());
      }
    }
  }

  // Reads the K-mers of haplotypes [first, end) in one block.
  void ReadCodes(const Block& block, size_t first, size_t end, uint8_t* codes) const {
    const BlockBits bits(block);
    const size_t words = reference_.words();
    const uint64_t* row = reference_.row(first);
    for (size_t h = first; h < end; ++h, row += words) codes[h] = bits.Code(row);
    if (!forward_) std::transform(codes + first, codes + end, codes + first, [](uint8_t c) { return kReversed[c]; });
  }

  // The alleles next to the blocks to come are the most significant, so that haplotypes that match further are nearer.
  uint8_t SortCode(uint8_t code) const { return forward_ ? code : kReversed[code]; }

  // Steps away from a target in the sorted order, through the haplotypes with its K-mer.
  struct Walk {
    std::ptrdiff_t at;
    int step;
    KeptMatches& matches;
    uint32_t haplotype = 0;
    const HaplotypeMatch* known = nullptr;  // the match, if it was kept at the block before
    uint32_t reach = 0;                     // typed marker at which the match begins (forward) or ends (backward)
    bool ended = false;
  };

  void Advance(Walk& walk, size_t t, const Block& block) const {
    const auto excluded = targets_[t]->excluded.span();
    do {
      walk.at += walk.step;
      walk.ended = !sorted_.has_code_of(t, walk.at);
      if (walk.ended) return;
      walk.haplotype = sorted_.order()[walk.at];
    } while (std::ranges::find(excluded, walk.haplotype) != excluded.end());
    Prefetch(walk, block);
    walk.known = walk.matches.Next(walk.haplotype);
    if (walk.known != nullptr) {
      walk.reach = forward_ ? walk.known->begin : walk.known->end;
    } else {
      walk.reach = forward_ ? MatchBegin(t, walk.haplotype, block) : MatchEnd(t, walk.haplotype, block);
    }
  }

  // Prefetches the row of a haplotype some steps ahead, as the rows of a large panel do not fit into a cache.
  void Prefetch(const Walk& walk, const Block& block) const {
    constexpr int kStepsAhead = 8;
    const std::ptrdiff_t ahead = walk.at + kStepsAhead * walk.step;
    if (ahead < 0 || ahead >= std::ssize(sorted_.order())) return;
    __builtin_prefetch(reference_.row(sorted_.order()[ahead]) + block.begin / 64);
  }

  Disagreement Differences(size_t t, uint32_t haplotype) const {
    return {reference_.row(haplotype), targets_[t]->bits.data(), targets_[t]->observed.data()};
  }

  uint32_t MatchBegin(size_t t, uint32_t haplotype, const Block& block) const {
    return static_cast<uint32_t>(PreviousMismatch(Differences(t, haplotype), static_cast<int32_t>(block.begin) - 1) +
                                 1);
  }

  uint32_t MatchEnd(size_t t, uint32_t haplotype, const Block& block) const {
    return static_cast<uint32_t>(NextMismatch(Differences(t, haplotype), static_cast<int32_t>(block.end),
                                              static_cast<int32_t>(reference_.num_markers)));
  }

  // Returns whether the match of walk a is at least as long as that of b in the direction already sorted.
  bool IsLonger(const Walk& a, const Walk& b) const {
    if (a.ended || b.ended) return b.ended;
    return forward_ ? a.reach <= b.reach : a.reach >= b.reach;
  }

  void KeepLongest(size_t t, const Block& block) {
    auto& [above, below] = last_[t];
    Walk up{sorted_.position(t), -1, above}, down{std::ptrdiff_t{sorted_.position(t)} - 1, 1, below};
    Advance(up, t, block);
    Advance(down, t, block);
    for (size_t kept = 0; kept < options_.per_block && !(up.ended && down.ended); ++kept) {
      Walk& walk = IsLonger(up, down) ? up : down;
      walk.matches.Keep(KnownOrNewMatch(t, walk, block));
      Advance(walk, t, block);
    }
    above.EndBlock();
    below.EndBlock();
  }

  HaplotypeMatch KnownOrNewMatch(size_t t, const Walk& walk, const Block& block) {
    if (walk.known != nullptr) return *walk.known;
    const HaplotypeMatch match{walk.haplotype, forward_ ? walk.reach : MatchBegin(t, walk.haplotype, block),
                               forward_ ? MatchEnd(t, walk.haplotype, block) : walk.reach};
    matches_[t].push_back(match);
    return match;
  }

  const HaplotypeRows& reference_;
  const std::span<const TargetHaplotype* const> targets_;
  const MatchOptions& options_;
  const bool forward_;
  std::vector<std::deque<HaplotypeMatch>>& matches_;
  SortedHaplotypes sorted_;
  std::array<std::vector<uint8_t>, kBlocksAhead> codes_ahead_;  // [haplotypes] K-mers of the next blocks
  std::vector<std::array<KeptMatches, 2>> last_;                // [targets] matches above and below the target
};

}  // namespace

std::vector<std::vector<HaplotypeMatch>> FindMatches(const HaplotypeRows& reference,
                                                     std::span<const TargetHaplotype* const> targets,
                                                     const MatchOptions& options) {
  HS_ASSERT(options.block_markers >= 1 && options.block_markers <= kMaxKmer);
  if (targets.empty()) return {};
  HS_ASSERT(reference.bits != nullptr);
  const std::vector<Block> blocks = DivideIntoBlocks(reference, options);
  // Deques grow without copies, which matters as there are many of them.
  std::array<std::vector<std::deque<HaplotypeMatch>>, 2> found;
  tbb::parallel_for(0, 2, [&](int pass) {
    found[pass].resize(targets.size());
    MatchPass(reference, targets, options, pass == 0, found[pass]).Run(blocks);
  });
  std::vector<std::vector<HaplotypeMatch>> matches(targets.size());
  tbb::parallel_for(size_t{0}, targets.size(), [&](size_t t) {
    std::vector<HaplotypeMatch>& all = matches[t];
    all.reserve(found[0][t].size() + found[1][t].size());
    for (auto& pass_matches : found) {
      all.insert(all.end(), pass_matches[t].begin(), pass_matches[t].end());
      std::deque<HaplotypeMatch>().swap(pass_matches[t]);
    }
    std::ranges::sort(all, kInOrder);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    all.shrink_to_fit();  // most matches were found in both passes
  });
  return matches;
}

std::vector<HaplotypeMatch> MergeMatches(std::span<const HaplotypeMatch> a, std::span<const HaplotypeMatch> b) {
  std::vector<HaplotypeMatch> merged;
  merged.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(merged), kInOrder);
  return merged;
}

}  // namespace haplospin
