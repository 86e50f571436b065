#include "genotypes/genomics/sites/split_sites.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace haplospin {
namespace {

using Alts = std::vector<StudyMarker*>;  // the ALTs of one site

// Calls visit(alts) for each site of several ALTs among the markers of a position.
template <typename Visit>
void ForEachSplitSite(std::span<StudyMarker> position, const Visit& visit) {
  std::vector<bool> is_taken(position.size());
  for (size_t first = 0; first < position.size(); ++first) {
    if (is_taken[first]) continue;
    Alts alts{&position[first]};
    for (size_t s = first + 1; s < position.size(); ++s) {
      const auto is_other = [&](const StudyMarker* alt) { return ShareSite(alt->marker, position[s].marker); };
      if (is_taken[s] || !std::ranges::all_of(alts, is_other)) continue;
      is_taken[s] = true;
      alts.push_back(&position[s]);
    }
    if (alts.size() > 1) visit(alts);
  }
}

// Returns whether some sample has more ALT alleles than haplotypes, so that these are markers of their own, which only
// have the same position, as on a coarse map.
bool AreMarkersOfTheirOwn(const Alts& alts, const SampleTable& samples) {
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    int count = 0;
    for (uint32_t h = samples.first_haplotype[s]; h < samples.first_haplotype[s + 1]; ++h) {
      for (const StudyMarker* alt : alts) count += alt->genotypes.alleles[h] == 1 ? 1 : 0;
    }
    if (count > samples.ploidy(s)) return true;
  }
  return false;
}

// Whether the genotypes of samples are phased, by their heterozygotes.
class SamplePhases {
 public:
  SamplePhases(const SampleTable& samples, std::span<const StudyMarker> markers)
      : has_phased_(samples.num_samples()), has_unphased_(samples.num_samples()) {
    for (const StudyMarker& marker : markers) {
      for (size_t s = 0; s < samples.num_samples(); ++s) {
        const uint32_t h = samples.first_haplotype[s];
        if (samples.ploidy(s) != 2 || marker.genotypes.alleles[h] + marker.genotypes.alleles[h + 1] != 1) continue;
        (marker.genotypes.IsUnphased(s) ? has_unphased_ : has_phased_)[s] = true;
      }
    }
    is_any_unphased_ = std::ranges::find(has_unphased_, true) != has_unphased_.end();
  }

  // A sample without any heterozygote is as the others are.
  bool IsUnphased(size_t sample) const { return has_unphased_[sample] || (!has_phased_[sample] && is_any_unphased_); }

 private:
  std::vector<bool> has_phased_, has_unphased_;  // [samples]
  bool is_any_unphased_;
};

// Completes the alleles of a sample, and returns whether there were any to complete.
bool CompleteHaplotypes(const Alts& alts, uint32_t begin, uint32_t end) {
  bool has_missing = false;
  for (uint32_t h = begin; h < end; ++h) {
    const auto allele = [&](StudyMarker* alt) -> uint8_t& { return alt->genotypes.alleles[h]; };
    if (std::ranges::none_of(alts, [&](StudyMarker* alt) { return allele(alt) == 1; })) continue;
    for (StudyMarker* alt : alts) {
      if (allele(alt) != kMissingAllele) continue;
      allele(alt) = 0;
      has_missing = true;
    }
  }
  return has_missing;
}

// Gives a heterozygote the phase set of its site.
void SetPhase(uint32_t set, size_t num_samples, size_t sample, GenotypeRow& row) {
  row.phase_sets.resize(num_samples);
  row.phase_sets[sample] = set;
  if (!row.unphased.empty()) row.unphased[sample] = 0;
}

// Puts the ALTs of a heterozygote of two ALTs on different haplotypes, if their order is not known.
void SeparateAlts(const Alts& alts, const SampleTable& samples, size_t sample, bool was_completed) {
  const uint32_t h = samples.first_haplotype[sample];
  Alts heterozygous;
  std::ranges::copy_if(alts, std::back_inserter(heterozygous), [&](const StudyMarker* alt) {
    const GenotypeRow& row = alt->genotypes;
    return (was_completed || row.IsUnphased(sample)) && row.alleles[h] + row.alleles[h + 1] == 1;
  });
  if (heterozygous.size() != 2) return;
  const uint32_t set = kFirstSetOfSite | static_cast<uint32_t>(alts[0]->marker.position & INT32_MAX);
  GenotypeRow &first = heterozygous[0]->genotypes, &second = heterozygous[1]->genotypes;
  if (first.alleles[h] == second.alleles[h]) std::swap(second.alleles[h], second.alleles[h + 1]);
  SetPhase(set, samples.num_samples(), sample, first);
  SetPhase(set, samples.num_samples(), sample, second);
}

void CompleteSite(const Alts& alts, const SampleTable& samples, const SamplePhases& phased) {
  if (AreMarkersOfTheirOwn(alts, samples)) return;
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const bool is_completed = CompleteHaplotypes(alts, samples.first_haplotype[s], samples.first_haplotype[s + 1]);
    if (samples.ploidy(s) == 2 && phased.IsUnphased(s)) SeparateAlts(alts, samples, s, is_completed);
  }
}

}  // namespace

bool ShareSite(const Marker& x, const Marker& y) {
  return x.position > 0 && x.position == y.position && x.ref == y.ref && x.alt != y.alt && x.HasAlt() && y.HasAlt();
}

void CompleteSplitSites(const SampleTable& samples, std::span<StudyMarker> markers) {
  std::optional<SamplePhases> phased;  // most studies have no such site
  for (size_t begin = 0, end; begin < markers.size(); begin = end) {
    end = begin + 1;
    while (end < markers.size() && markers[end].marker.position == markers[begin].marker.position) ++end;
    if (end == begin + 1) continue;
    ForEachSplitSite(markers.subspan(begin, end - begin), [&](const Alts& alts) {
      if (!phased) phased.emplace(samples, markers);
      CompleteSite(alts, samples, *phased);
    });
  }
}

}  // namespace haplospin
