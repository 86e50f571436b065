// Sites of several ALTs that are split into a marker for each ALT: a haplotype has at most one of them.
#pragma once

#include <cstdint>
#include <span>

#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// Returns whether two markers are different ALTs of one site: of one position and one REF. Others at one position are
// markers of their own, such as two probes of one SNP, and so are markers at position 0, whose place is not known.
bool ShareSite(const Marker& x, const Marker& y);

// The phase set of an unphased heterozygote of two ALTs is of its site alone. Those of files count from 1, and are at
// most the longest contig's length; the last number is that of a whole contig.
inline constexpr uint32_t kFirstSetOfSite = uint32_t{1} << 31;
inline bool IsSetOfSite(uint32_t set) { return set > kFirstSetOfSite && set < UINT32_MAX; }

// Completes the genotypes at split sites by what one ALT tells of the others. Where a haplotype has one ALT, a missing
// allele of another ALT is 0 (bcftools norm -m- --multi-overlaps . writes it so). An unphased heterozygote of two ALTs
// has them on different haplotypes, so that these two alleles become a phase set of their own. Nothing is done where
// some sample has more ALT alleles than haplotypes. `markers` are sorted by position, and are of whole positions.
void CompleteSplitSites(const SampleTable& samples, std::span<StudyMarker> markers);

}  // namespace haplospin
