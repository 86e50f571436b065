#include "genotypes/imputation/models/network/window_alleles.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "genotypes/genomics/bit_transpose.h"
#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kHaplotypesOfRange = 1 << 15;  // haplotypes listed together, whose places fit into a cache

std::vector<uint32_t> DenseMarkers(const HaplotypePanel& panel, size_t begin, size_t end) {
  std::vector<uint32_t> dense;
  for (size_t m = begin; m < end; ++m) {
    if (!panel.is_rare(m)) dense.push_back(static_cast<uint32_t>(m));
  }
  return dense;
}

}  // namespace

CandidateMask CandidateMask::First(size_t count) {
  CandidateMask mask;
  mask.words[0] = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  mask.words[1] = count <= 64 ? 0 : count >= 128 ? ~uint64_t{0} : (uint64_t{1} << (count - 64)) - 1;
  return mask;
}

WindowAlleles::WindowAlleles(const HaplotypePanel& panel, const TypedPanel& typed_panel, size_t begin, size_t end)
    : panel_(panel), begin_(begin), end_(end), dense_(DenseMarkers(panel, begin, end)) {
  FindColumns();
  const size_t intervals = typed_panel.num_intervals();
  first_marker_.resize(intervals + 1);
  first_dense_.resize(intervals + 1);
  typed_index_.assign(end - begin, kUntyped);
  for (size_t m = begin; m < end; ++m) minor_is_alt_.push_back(panel.minor_is_alt(m) ? 1 : 0);
  for (size_t j = 0; j < typed_panel.num_typed(); ++j) {
    if (typed_panel.typed()[j] >= begin && typed_panel.typed()[j] < end) {
      typed_index_[typed_panel.typed()[j] - begin] = static_cast<uint32_t>(j);
    }
  }
  // The markers of an anchor begin with those of its first interval.
  const auto interval_begin = [&](size_t i) {
    const size_t first = i == 0 ? begin : i == intervals ? end : size_t{typed_panel.typed()[i - 1]} + 1;
    return std::clamp(first, begin, end);
  };
  size_t first_interval = 0;  // first interval of the present anchor
  for (size_t i = 0; i <= intervals; ++i) {
    if (i < intervals && i > 0 && typed_panel.anchor_of(i) != typed_panel.anchor_of(i - 1)) first_interval = i;
    const bool beyond_anchor = i == intervals || i > typed_panel.anchor_of(i);
    size_t next = i;  // interval whose first marker is first_marker_[i]
    if (beyond_anchor) {
      while (next < intervals && typed_panel.anchor_of(next) == typed_panel.anchor_of(i)) ++next;
    } else {
      next = first_interval;
    }
    first_marker_[i] = interval_begin(next);
    const auto at = std::lower_bound(dense_.begin(), dense_.end(), static_cast<uint32_t>(first_marker_[i]));
    first_dense_[i] = static_cast<uint32_t>(at - dense_.begin());
  }
  ListCarried();
}

void WindowAlleles::FindColumns() {
  std::vector<std::vector<uint32_t>> own;  // markers that are in no group of the panel
  for (const uint32_t m : dense_) {
    columns_.push_back(DistinctHaplotypes::FindColumn(panel_, m));
    if (columns_.back().haplotypes != nullptr) continue;
    if (own.empty() || own.back().size() == DistinctHaplotypes::kMaxMarkers) own.emplace_back();
    own.back().push_back(m);
  }
  own_groups_.resize(own.size());
  tbb::parallel_for(size_t{0}, own.size(), [&](size_t g) {
    own_groups_[g] = std::make_unique<DistinctHaplotypes>(panel_, own[g]);
    for (size_t k = 0; k < own[g].size(); ++k) {
      const auto at = std::ranges::lower_bound(dense_, own[g][k]) - dense_.begin();
      columns_[static_cast<size_t>(at)] = {own_groups_[g].get(), k};
    }
  });
}

void WindowAlleles::ListCarried() {
  const size_t n = panel_.num_haplotypes();
  carrying_words_ = WordsOf(first_marker_.size() - 1);
  carrying_.assign(n * carrying_words_, 0);
  first_carried_.assign(n + 1, 0);
  const size_t ranges = (n + kHaplotypesOfRange - 1) / kHaplotypesOfRange;
  const auto in_ranges = [&](const auto& visit) {
    tbb::parallel_for(size_t{0}, ranges, [&](size_t range) {
      const size_t first = range * kHaplotypesOfRange;
      ForEachListed(first, std::min(first + kHaplotypesOfRange, n), visit);
    });
  };
  in_ranges([this](uint32_t h, size_t, size_t) { ++first_carried_[h + 1]; });
  for (size_t h = 0; h < n; ++h) first_carried_[h + 1] += first_carried_[h];
  carried_.resize(first_carried_[n]);
  std::vector<size_t> next(first_carried_.begin(), first_carried_.end() - 1);
  in_ranges([&](uint32_t h, size_t m, size_t interval) {
    carried_[next[h]++] = static_cast<uint32_t>(m);
    carrying_[h * carrying_words_ + interval / 64] |= uint64_t{1} << (interval % 64);
  });
}

// Calls visit(haplotype, marker, interval) for the carriers of listed markers among haplotypes [begin, end).
template <typename Visit>
void WindowAlleles::ForEachListed(size_t begin, size_t end, const Visit& visit) const {
  for (size_t i = 0; i + 1 < first_marker_.size(); ++i) {
    for (size_t m = first_marker_[i]; m < first_marker_[i + 1]; ++m) {
      if (!panel_.is_rare(m)) continue;
      const std::span<const uint32_t> carriers = panel_.carriers(m);
      for (auto at = std::ranges::lower_bound(carriers, begin); at != carriers.end() && *at < end; ++at) {
        visit(*at, m, i);
      }
    }
  }
}

void WindowAlleles::FindCarriers(size_t anchor, std::span<const uint32_t> candidates,
                                 std::vector<CandidateMask>& carriers) const {
  const size_t first = first_marker_[anchor];
  const size_t last = first_marker_[anchor + 1];
  carriers.assign(last - first, {});
  if (first == last) return;

  for (const uint32_t candidate : candidates) {
    __builtin_prefetch(&carrying_[candidate * carrying_words_ + anchor / 64]);
    __builtin_prefetch(&first_carried_[candidate]);
  }

  // Columns of bits, 64 markers at a time: gather the candidates' rows and transpose them.
  const CandidateMask all = CandidateMask::First(candidates.size());
  for (size_t from = first_dense_[anchor], to; from < first_dense_[anchor + 1]; from = to) {
    const auto [group, column] = columns_[from];
    TwoBitSquares squares = {};
    for (const uint32_t candidate : candidates) group->Prefetch(candidate, column);
    for (size_t k = 0; k < candidates.size(); ++k) squares[k % 64][k / 64] = group->Bits(candidates[k], column);
    Transpose(squares);
    // The next markers of the group come next, as groups of the panel have adjacent markers.
    to = std::min({from + 64, from + group->num_markers() - column, size_t{first_dense_[anchor + 1]}});
    for (size_t c = from; c < to; ++c) {
      const uint64_t flip = minor_is_alt(dense_[c]) ? 0 : ~uint64_t{0};
      CandidateMask& mask = carriers[dense_[c] - first];
      for (size_t w = 0; w < 2; ++w) mask.words[w] = all.words[w] & (squares[c - from][w] ^ flip);
    }
  }

  for (size_t k = 0; k < candidates.size(); ++k) {
    if (!CarriesListed(candidates[k], anchor)) continue;
    const std::span<const uint32_t> carried = Carried(candidates[k]);
    for (size_t at = FirstCarried(carried, first); at < carried.size() && carried[at] < last; ++at) {
      carriers[carried[at] - first].Set(k);
    }
  }
}

// Returns the index of the first of `carried` that is not before `marker`. Rare alleles are spread so evenly that it is
// near the marker's relative position in the window, so that reading a few neighbors is faster than a binary search.
size_t WindowAlleles::FirstCarried(std::span<const uint32_t> carried, size_t marker) const {
  size_t at = carried.size() * (marker - begin_) / (end_ - begin_);
  while (at > 0 && carried[at - 1] >= marker) --at;
  while (at < carried.size() && carried[at] < marker) ++at;
  return at;
}

}  // namespace haplospin
