#include "genotypes/imputation/window/allele_sums.h"

#include <algorithm>
#include <optional>

#include "genotypes/genomics/hla/hla_allele.h"
#include "genotypes/genomics/sites/split_sites.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using MarkerSet = std::vector<size_t>;

// Joins sets of markers, in order, with the first one before that each of their markers can be together with.
template <typename CanBeTogether>
std::vector<MarkerSet> JoinSets(const std::vector<MarkerSet>& sets, const CanBeTogether& can_be_together) {
  std::vector<MarkerSet> joined;
  for (const MarkerSet& set : sets) {
    auto place = std::ranges::find_if(joined, [&](const MarkerSet& members) {
      return std::ranges::all_of(set, [&](size_t m) {
        return std::ranges::all_of(members, [&](size_t other) { return can_be_together(other, m); });
      });
    });
    if (place == joined.end()) place = joined.insert(place, MarkerSet());
    place->insert(place->end(), set.begin(), set.end());
  }
  return joined;
}

// The markers of a position. A haplotype has the allele of a marker where it has ALT or, in an HLA panel whose REF
// means "present", REF.
class PositionMarkers {
 public:
  PositionMarkers(const HaplotypePanel& panel, MarkerRange markers) : panel_(panel), first_(markers.begin) {
    for (size_t m = markers.begin; m < markers.end; ++m) {
      hla_.push_back(HlaMarkerOf(panel.marker(m)));
      each_.push_back({m});
    }
  }

  bool IsRef(size_t m) const { return hla_[m - first_] && hla_[m - first_]->is_ref; }

  // Returns sets of which a haplotype has at most one allele: by what the panel's haplotypes have, or by the alleles if
  // there are none. Alleles of HLA genes are of one gene and resolution.
  std::vector<MarkerSet> ExclusiveSets() const;

  // Returns whether each haplotype of the panel has one of the alleles of an exclusive set.
  bool IsExhaustive(const MarkerSet& set) const;

 private:
  std::vector<MarkerSet> WithoutSharedCarriers() const;
  std::vector<MarkerSet> AltsOfSites() const;
  bool AreOfOneSite(size_t x, size_t y) const { return ShareSite(panel_.marker(x), panel_.marker(y)); }
  bool MayExclude(size_t x, size_t y) const;
  std::vector<uint64_t> Carriers(size_t m) const;

  const HaplotypePanel& panel_;
  const size_t first_;
  std::vector<std::optional<HlaMarker>> hla_;  // [markers]
  std::vector<MarkerSet> each_;                // a set for each marker
};

std::vector<MarkerSet> PositionMarkers::ExclusiveSets() const {
  return panel_.num_haplotypes() > 0 ? WithoutSharedCarriers() : AltsOfSites();
}

bool PositionMarkers::IsExhaustive(const MarkerSet& set) const {
  size_t carriers = 0;
  for (const size_t m : set) {
    carriers += IsRef(m) ? panel_.num_haplotypes() - panel_.alt_count(m) : size_t{panel_.alt_count(m)};
  }
  return panel_.num_haplotypes() > 0 && carriers == panel_.num_haplotypes();
}

// Returns sets of which no haplotype of the panel has two alleles. The ALTs of a site come first: a SNV at the position
// of a record with several ALTs, of which haplotypes have some together with it, must not part these.
std::vector<MarkerSet> PositionMarkers::WithoutSharedCarriers() const {
  std::vector<std::vector<uint64_t>> carriers;
  for (const MarkerSet& marker : each_) carriers.push_back(Carriers(marker.front()));
  const auto exclude = [&](size_t x, size_t y) {
    return MayExclude(x, y) && std::ranges::equal(carriers[x - first_], carriers[y - first_],
                                                  [](uint64_t a, uint64_t b) { return (a & b) == 0; });
  };
  const std::vector<MarkerSet> sites =
      JoinSets(each_, [&](size_t x, size_t y) { return AreOfOneSite(x, y) && exclude(x, y); });
  return JoinSets(sites, exclude);
}

// Returns the ALTs of one site. Others only have the same position, as markers of a linkage map that are not told
// apart, or two probes of one SNP.
std::vector<MarkerSet> PositionMarkers::AltsOfSites() const {
  return JoinSets(each_, [&](size_t x, size_t y) { return AreOfOneSite(x, y); });
}

bool PositionMarkers::MayExclude(size_t x, size_t y) const {
  const std::optional<HlaMarker>&first = hla_[x - first_], &second = hla_[y - first_];
  if (!first || !second) return !first && !second;
  return first->allele.gene == second->allele.gene && first->resolution == second->resolution;
}

// Returns the haplotypes that have the allele of a marker as bits.
std::vector<uint64_t> PositionMarkers::Carriers(size_t m) const {
  std::vector<uint64_t> bits(panel_.words_per_marker());
  panel_.CopyBits(m, bits.data());
  if (!IsRef(m)) return bits;
  for (uint64_t& word : bits) word = ~word;
  const size_t in_last = panel_.num_haplotypes() % 64;
  if (in_last > 0) bits.back() &= (uint64_t{1} << in_last) - 1;
  return bits;
}

class AlleleTable {
 public:
  AlleleTable(MarkerRange markers, std::span<const std::vector<uint8_t>* const> typed, std::span<float> alt)
      : first_(markers.begin), num_haplotypes_(alt.size() / markers.size()), typed_(typed), alt_(alt) {}

  size_t num_haplotypes() const { return num_haplotypes_; }

  // Returns whether the study has several of the alleles on one haplotype.
  bool HasTogether(const PositionMarkers& position, const MarkerSet& set) const {
    for (size_t h = 0; h < num_haplotypes_; ++h) {
      const auto has = [&](size_t m) { return IsKnown(m, h) && Known(m, h) != position.IsRef(m); };
      if (std::ranges::count_if(set, has) > 1) return true;
    }
    return false;
  }

  // Scales the probabilities of a haplotype's alleles, of which it has at most one or, if the set is exhaustive,
  // exactly one.
  void Scale(const PositionMarkers& position, const MarkerSet& set, bool is_exhaustive, size_t h) {
    float known = 0, others = 0;
    for (const size_t m : set) {
      if (IsKnown(m, h)) {
        known += Known(m, h) != position.IsRef(m) ? 1.0f : 0.0f;
      } else {
        others += position.IsRef(m) ? 1 - Alt(m, h) : Alt(m, h);
      }
    }
    const float left = std::max(0.0f, 1 - known);
    if (others <= left && !(is_exhaustive && others > 0)) return;
    for (const size_t m : set) {
      if (IsKnown(m, h)) continue;
      float& alt = Alt(m, h);
      alt = position.IsRef(m) ? 1 - (1 - alt) * (left / others) : alt * (left / others);
    }
  }

 private:
  float& Alt(size_t m, size_t h) { return alt_[(m - first_) * num_haplotypes_ + h]; }

  bool IsKnown(size_t m, size_t h) const {
    const std::vector<uint8_t>* alleles = typed_[m - first_];
    return alleles != nullptr && (*alleles)[h] != kMissingAllele;
  }
  bool Known(size_t m, size_t h) const { return (*typed_[m - first_])[h] == 1; }

  const size_t first_, num_haplotypes_;
  const std::span<const std::vector<uint8_t>* const> typed_;
  const std::span<float> alt_;
};

}  // namespace

size_t EndOfPosition(const HaplotypePanel& panel, size_t end) {
  while (end > 0 && end < panel.num_markers() && panel.marker(end).position == panel.marker(end - 1).position) ++end;
  return end;
}

std::vector<bool> ScaleAlleleSums(const HaplotypePanel& panel, MarkerRange markers,
                                  std::span<const std::vector<uint8_t>* const> typed, std::span<float> alt) {
  std::vector<bool> is_exclusive(markers.size());
  if (markers.size() == 0) return is_exclusive;
  AlleleTable table(markers, typed, alt);
  for (size_t begin = markers.begin, end; begin < markers.end; begin = end) {
    end = std::min(EndOfPosition(panel, begin + 1), markers.end);
    if (end == begin + 1) continue;
    const PositionMarkers position(panel, {begin, end});
    for (const MarkerSet& set : position.ExclusiveSets()) {
      if (set.size() == 1 || table.HasTogether(position, set)) continue;
      for (const size_t m : set) is_exclusive[m - markers.begin] = true;
      const bool is_exhaustive = position.IsExhaustive(set);
      for (size_t h = 0; h < table.num_haplotypes(); ++h) table.Scale(position, set, is_exhaustive, h);
    }
  }
  return is_exclusive;
}

}  // namespace haplospin
