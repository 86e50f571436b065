#include "genotypes/genomics/sites/strand.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr double kStandardErrors = 2;
constexpr double kMinR2 = 0.1;
constexpr size_t kMinNeighbors = 2;

struct Counts {
  double n = 0, a = 0, b = 0, both = 0;

  // Correlation of two alleles; 0 if either does not vary.
  double Correlation() const {
    const double variance = a * (n - a) * b * (n - b);
    return variance > 0 ? (n * both - a * b) / std::sqrt(variance) : 0;
  }
};

double Ones(uint64_t word) { return std::popcount(word); }

double PanelCorrelation(const StrandSite& x, const StrandSite& y) {
  Counts counts{.n = static_cast<double>(x.panel_haplotypes)};
  for (size_t w = 0; w < x.panel.size(); ++w) {
    counts.a += Ones(x.panel[w]);
    counts.b += Ones(y.panel[w]);
    counts.both += Ones(x.panel[w] & y.panel[w]);
  }
  return counts.Correlation();
}

// Exchanges the two haplotypes of each sample.
uint64_t Exchanged(uint64_t word) {
  constexpr uint64_t kFirst = 0x5555555555555555u;
  return (word & kFirst) << 1 | (word >> 1 & kFirst);
}

void AddPairs(uint64_t x, uint64_t y, uint64_t known, Counts& counts) {
  counts.n += Ones(known);
  counts.a += Ones(x & known);
  counts.b += Ones(y & known);
  counts.both += Ones(x & y & known);
}

// Returns the correlation of the haplotypes. Without phase it is estimated from genotypes: all four pairs of alleles of
// a sample count, and two of them are on one haplotype, so that their correlation is half of that of haplotypes (Weir,
// 1979).
double StudyCorrelation(const StrandSite& x, const StrandSite& y) {
  Counts counts;
  const bool is_phased = x.is_phased && y.is_phased;
  for (size_t w = 0; w < x.study.size(); ++w) {
    AddPairs(x.study[w], y.study[w], x.known[w] & y.known[w], counts);
    if (is_phased) continue;
    AddPairs(x.study[w], Exchanged(y.study[w]), x.known[w] & Exchanged(y.known[w]), counts);
  }
  return is_phased ? counts.Correlation() : 2 * counts.Correlation();
}

double Ones(const std::vector<uint64_t>& words) {
  double ones = 0;
  for (const uint64_t word : words) ones += Ones(word);
  return ones;
}

AlleleFrequency CountFrequency(const std::vector<uint64_t>& alleles, double haplotypes) {
  return {Ones(alleles) / haplotypes, haplotypes};
}

bool IsNearHalf(const AlleleFrequency& frequency, double near_half) {
  const double standard_error = 0.5 / std::sqrt(frequency.haplotypes);
  return std::abs(frequency.value - 0.5) <= std::max(near_half, kStandardErrors * standard_error);
}

}  // namespace

AlleleFrequency StrandSite::PanelFrequency() const {
  return CountFrequency(panel, static_cast<double>(panel_haplotypes));
}

AlleleFrequency StrandSite::StudyFrequency() const { return CountFrequency(study, Ones(known)); }

StrandSite MakeStrandSite(const HaplotypePanel& panel, size_t marker, const SampleTable& samples,
                          std::span<const uint8_t> alleles, bool is_exchanged) {
  StrandSite site{.position = panel.marker(marker).position, .panel_haplotypes = panel.num_haplotypes()};
  site.panel.resize(panel.words_per_marker());
  panel.CopyBits(marker, site.panel.data());
  site.study.resize((samples.num_samples() + 31) / 32);
  site.known.resize(site.study.size());
  const uint8_t alt = is_exchanged ? 0 : 1;
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t first = samples.first_haplotype[s];
    for (uint32_t h = first; h < samples.first_haplotype[s + 1]; ++h) {
      const size_t bit = 2 * s + (h - first);
      site.study[bit / 64] |= uint64_t{alleles[h] == alt} << bit % 64;
      site.known[bit / 64] |= uint64_t{alleles[h] != kMissingAllele} << bit % 64;
    }
  }
  return site;
}

Strand StrandByFrequency(const StrandSite& site, double near_half) {
  const AlleleFrequency panel = site.PanelFrequency(), study = site.StudyFrequency();
  if (study.haplotypes == 0 || IsNearHalf(panel, near_half) || IsNearHalf(study, near_half)) return Strand::kUndecided;
  return (panel.value < 0.5) == (study.value < 0.5) ? Strand::kSame : Strand::kOther;
}

Strand StrandByLinkage(const StrandSite& site, std::span<const StrandSite* const> neighbors, double agreement) {
  size_t same = 0, other = 0;
  for (const StrandSite* neighbor : neighbors) {
    const double in_panel = PanelCorrelation(site, *neighbor);
    if (in_panel * in_panel < kMinR2) continue;
    const double in_study = StudyCorrelation(site, *neighbor);
    if (in_study * in_study < kMinR2) continue;
    const bool has_same_sign = (in_panel > 0) == (in_study > 0);
    ++(has_same_sign != neighbor->is_other_strand ? same : other);
  }
  if (same + other < kMinNeighbors) return Strand::kUndecided;
  const double needed = agreement * static_cast<double>(same + other);
  if (static_cast<double>(same) >= needed) return Strand::kSame;
  return static_cast<double>(other) >= needed ? Strand::kOther : Strand::kUndecided;
}

Strand FindStrand(const StrandSite& site, std::span<const StrandSite* const> neighbors) {
  const Strand by_linkage = StrandByLinkage(site, neighbors);
  const Strand by_frequency = StrandByFrequency(site);
  if (by_linkage == Strand::kUndecided) return by_frequency;
  return by_frequency == Strand::kUndecided || by_frequency == by_linkage ? by_linkage : Strand::kUndecided;
}

}  // namespace haplospin
