// The strand of A/T and C/G sites, which cannot be determined from their alleles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haplospin {

// The minimum number of study samples to determine a strand.
inline constexpr size_t kMinSamplesForStrand = 20;

// Of an allele among haplotypes; NaN where there are none.
struct AlleleFrequency {
  double value = 0;
  double haplotypes = 0;
};

// A site of panel and study. Of the panel, bit h % 64 of word h / 64 is haplotype h; of the study, bits 2s and 2s + 1,
// counted the same way, are the haplotypes of sample s.
struct StrandSite {
  int64_t position = 0;          // bp
  size_t panel_haplotypes = 0;   // those of the study are the known ones
  bool is_other_strand = false;  // of a neighbor: the letters of the study are known to be complements
  bool is_phased = true;         // the study's haplotypes, else their order in a sample means nothing
  std::vector<uint64_t> panel;   // the panel's ALT
  std::vector<uint64_t> study;   // the allele that has the letter of the panel's ALT
  std::vector<uint64_t> known;   // not missing in the study

  // Of the letter of the panel's ALT.
  AlleleFrequency PanelFrequency() const;
  AlleleFrequency StudyFrequency() const;
};

enum class Strand : uint8_t { kSame, kOther, kUndecided };

// From the minor allele: kSame if it has the same letter in panel and study, kOther if not; undecided where either
// frequency is within 0.1, or two standard errors, of a half.
Strand StrandByFrequency(const StrandSite& site);

// From linkage disequilibrium with neighbors of known strand, as conform-gt does: kSame if the correlation has the same
// sign in panel and study, kOther if the opposite. Neighbors with r2 < 0.1 in either do not count; at least 2 must, and
// 90 % agree.
Strand StrandByLinkage(const StrandSite& site, std::span<const StrandSite* const> neighbors);

// Both: linkage and frequency must not contradict each other, and at least one must be decisive.
Strand FindStrand(const StrandSite& site, std::span<const StrandSite* const> neighbors);

}  // namespace haplospin
