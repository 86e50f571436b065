#include "genotypes/imputation/window/allele_sums.h"

#include <algorithm>
#include <utility>

#include "genotypes/genomics/sites/split_sites.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using MarkerSet = std::vector<size_t>;

// Divides markers into sets, so that each can be added to all others of its set. `can_be_added` takes a set and a
// marker.
template <typename CanBeAdded>
std::vector<MarkerSet> DivideMarkers(MarkerRange markers, const CanBeAdded& can_be_added) {
  std::vector<MarkerSet> sets;
  for (size_t m = markers.begin; m < markers.end; ++m) {
    auto set = std::ranges::find_if(sets, [&](const MarkerSet& members) { return can_be_added(members, m); });
    if (set == sets.end()) set = sets.insert(set, MarkerSet());
    set->push_back(m);
  }
  return sets;
}

// Divides the markers of a position so that no haplotype of the panel has two markers of a set.
std::vector<MarkerSet> MarkersWithoutSharedCarriers(const HaplotypePanel& panel, MarkerRange markers) {
  std::vector<std::vector<uint64_t>> bits(markers.size(), std::vector<uint64_t>(panel.words_per_marker()));
  for (size_t m = markers.begin; m < markers.end; ++m) panel.CopyBits(m, bits[m - markers.begin].data());
  const auto are_disjoint = [&](size_t x, size_t y) {
    return std::ranges::equal(bits[x - markers.begin], bits[y - markers.begin],
                              [](uint64_t a, uint64_t b) { return (a & b) == 0; });
  };
  return DivideMarkers(markers, [&](const MarkerSet& set, size_t m) {
    return std::ranges::all_of(set, [&](size_t other) { return are_disjoint(other, m); });
  });
}

// Divides the markers of a position so that those of a set are ALTs of one site. Others only have the same position, as
// markers of a linkage map that are not told apart, or two probes of one SNP.
std::vector<MarkerSet> AltsOfSites(const HaplotypePanel& panel, MarkerRange markers) {
  return DivideMarkers(markers, [&](const MarkerSet& set, size_t m) {
    return std::ranges::all_of(set, [&](size_t other) { return ShareSite(panel.marker(other), panel.marker(m)); });
  });
}

// Divides the markers of a position so that a haplotype has at most one of a set: by what the panel's haplotypes have,
// or by the alleles if there are none.
std::vector<MarkerSet> ExclusiveMarkers(const HaplotypePanel& panel, MarkerRange markers) {
  return panel.num_haplotypes() > 0 ? MarkersWithoutSharedCarriers(panel, markers) : AltsOfSites(panel, markers);
}

class AlleleTable {
 public:
  AlleleTable(MarkerRange markers, std::span<const std::vector<uint8_t>* const> typed, std::span<float> alt)
      : first_(markers.begin), num_haplotypes_(alt.size() / markers.size()), typed_(typed), alt_(alt) {}

  size_t num_haplotypes() const { return num_haplotypes_; }

  bool IsKnown(size_t m, size_t h) const {
    const std::vector<uint8_t>* alleles = typed_[m - first_];
    return alleles != nullptr && (*alleles)[h] != kMissingAllele;
  }

  // Returns whether the study has several of the alleles on one haplotype.
  bool HasTogether(const MarkerSet& set) const {
    for (size_t h = 0; h < num_haplotypes_; ++h) {
      const auto has = [&](size_t m) { return typed_[m - first_] != nullptr && (*typed_[m - first_])[h] == 1; };
      if (std::ranges::count_if(set, has) > 1) return true;
    }
    return false;
  }

  float& Probability(size_t m, size_t h) { return alt_[(m - first_) * num_haplotypes_ + h]; }

  // Limits the sum over the markers of a haplotype.
  void Limit(std::span<const size_t> markers, size_t h) {
    float known = 0, others = 0;
    for (const size_t m : markers) {
      if (IsKnown(m, h)) {
        known += static_cast<float>((*typed_[m - first_])[h]);
      } else {
        others += Probability(m, h);
      }
    }
    const float left = std::max(0.0f, 1 - known);
    if (others <= left) return;
    for (const size_t m : markers) {
      if (!IsKnown(m, h)) Probability(m, h) *= left / others;
    }
  }

 private:
  const size_t first_, num_haplotypes_;
  const std::span<const std::vector<uint8_t>* const> typed_;
  const std::span<float> alt_;
};

}  // namespace

size_t EndOfPosition(const HaplotypePanel& panel, size_t end) {
  while (end > 0 && end < panel.num_markers() && panel.marker(end).position == panel.marker(end - 1).position) ++end;
  return end;
}

std::vector<bool> LimitAlleleSums(const HaplotypePanel& panel, MarkerRange markers,
                                  std::span<const std::vector<uint8_t>* const> typed, std::span<float> alt) {
  std::vector<bool> is_exclusive(markers.size());
  if (markers.size() == 0) return is_exclusive;
  AlleleTable table(markers, typed, alt);
  for (size_t begin = markers.begin, end; begin < markers.end; begin = end) {
    end = std::min(EndOfPosition(panel, begin + 1), markers.end);
    if (end == begin + 1) continue;
    for (const MarkerSet& set : ExclusiveMarkers(panel, {begin, end})) {
      if (set.size() == 1 || table.HasTogether(set)) continue;
      for (const size_t m : set) is_exclusive[m - markers.begin] = true;
      for (size_t h = 0; h < table.num_haplotypes(); ++h) table.Limit(set, h);
    }
  }
  return is_exclusive;
}

}  // namespace haplospin
