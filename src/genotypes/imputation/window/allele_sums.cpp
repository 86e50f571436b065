#include "genotypes/imputation/window/allele_sums.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Divides the markers of a position into sets, so that no haplotype of the panel has two markers of a set.
std::vector<std::vector<size_t>> ExclusiveMarkers(const HaplotypePanel& panel, MarkerRange markers) {
  struct Set {
    std::vector<size_t> markers;
    std::vector<uint64_t> carriers;  // bits of the haplotypes that have one of them
  };
  std::vector<Set> sets;
  std::vector<uint64_t> bits(panel.words_per_marker());
  for (size_t m = markers.begin; m < markers.end; ++m) {
    panel.CopyBits(m, bits.data());
    const auto is_exclusive = [&](const Set& set) {
      return std::ranges::equal(set.carriers, bits, [](uint64_t x, uint64_t y) { return (x & y) == 0; });
    };
    auto set = std::ranges::find_if(sets, is_exclusive);
    if (set == sets.end()) set = sets.insert(set, Set{{}, std::vector<uint64_t>(bits.size())});
    set->markers.push_back(m);
    std::ranges::transform(set->carriers, bits, set->carriers.begin(), std::bit_or());
  }
  std::vector<std::vector<size_t>> result;
  result.reserve(sets.size());
  for (Set& set : sets) result.push_back(std::move(set.markers));
  return result;
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

void LimitAlleleSums(const HaplotypePanel& panel, MarkerRange markers,
                     std::span<const std::vector<uint8_t>* const> typed, std::span<float> alt) {
  if (markers.size() == 0) return;
  AlleleTable table(markers, typed, alt);
  for (size_t begin = markers.begin, end; begin < markers.end; begin = end) {
    end = EndOfPosition(panel, begin + 1);
    if (end == begin + 1) continue;
    for (const std::vector<size_t>& set : ExclusiveMarkers(panel, {begin, end})) {
      if (set.size() == 1) continue;
      for (size_t h = 0; h < table.num_haplotypes(); ++h) table.Limit(set, h);
    }
  }
}

}  // namespace haplospin
