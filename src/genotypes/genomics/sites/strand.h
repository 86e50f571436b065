// Which allele of a study is which of a panel, by frequency and linkage: where letters do not tell, as at A/T and C/G
// sites, whose strand is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The reach of linkage, bp.
inline constexpr int64_t kLinkageReach = 200'000;

// The minimum number of study samples to determine a strand.
inline constexpr size_t kMinSamplesForStrand = 20;

// The frequency of an allele; NaN without haplotypes.
struct AlleleFrequency {
  double value = 0;
  double haplotypes = 0;  // number
};

// A site of panel and study. Of the panel, bit h % 64 of word h / 64 is haplotype h; of the study, bits 2s and 2s + 1,
// counted the same way, are the haplotypes of sample s.
struct StrandSite {
  int64_t position = 0;          // bp
  size_t panel_haplotypes = 0;   // number; the study's are counted by `known`
  bool is_other_strand = false;  // the study is known to have the complements (set for neighbors)
  bool is_phased = true;         // the study's haplotypes, else their order in a sample means nothing
  std::vector<uint64_t> panel;   // the panel's ALT
  std::vector<uint64_t> study;   // the allele that has the letter of the panel's ALT
  std::vector<uint64_t> known;   // alleles that are not missing in the study

  // Frequencies of the letter of the panel's ALT.
  AlleleFrequency PanelFrequency() const;
  AlleleFrequency StudyFrequency() const;
};

// `samples` and `alleles` are the study's. With `is_exchanged`, its REF has the letter of the panel's ALT. The result
// is taken as phased.
StrandSite MakeStrandSite(const HaplotypePanel& panel, size_t marker, const SampleTable& samples,
                          std::span<const uint8_t> alleles, bool is_exchanged);

enum class Strand : uint8_t { kSame, kOther, kUndecided };

// Compares the minor alleles: kSame if panel and study have the same letter, kOther if not; kUndecided if a frequency
// is within `near_half`, or two standard errors, of a half.
inline constexpr double kNearHalf = 0.1;
Strand StrandByFrequency(const StrandSite& site, double near_half = kNearHalf);

// Compares the linkage disequilibrium with neighbors of known strand, as conform-gt does: kSame if the correlation has
// the same sign in panel and study, kOther if the opposite. Neighbors with r2 < 0.1 in panel or study are ignored; at
// least 2 others are needed, of which the fraction `agreement` agree.
inline constexpr double kStrandAgreement = 0.9;
Strand StrandByLinkage(const StrandSite& site, std::span<const StrandSite* const> neighbors,
                       double agreement = kStrandAgreement);

// Combines linkage and frequency: at least one of them must be decisive, and they must not contradict each other.
Strand FindStrand(const StrandSite& site, std::span<const StrandSite* const> neighbors);

}  // namespace haplospin
