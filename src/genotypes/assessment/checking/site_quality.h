// The quality of the genotypes of a study's sites, without a panel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

// Numbers of sites.
struct SiteQuality {
  size_t without_alt = 0;          // the file has no ALT allele
  size_t strand_ambiguous = 0;     // A/T or C/G
  size_t monomorphic = 0;          // one of the two alleles does not occur
  size_t rare = 0;                 // the others with a minor-allele frequency below 1 %
  size_t often_missing = 0;        // more than a tenth of the alleles
  size_t heterozygous = 0;         // more heterozygotes than expected (p < 1e-6)
  std::string first_heterozygous;  // the first such site: "20:100 A>C"

  // `alleles`: of all haplotypes, 0, 1 or kMissingAllele.
  void Add(const std::string& contig, const Marker& marker, const SampleTable& samples,
           const std::vector<uint8_t>& alleles);
};

// Numbers of diploid genotypes.
struct GenotypeCounts {
  size_t ref = 0, het = 0, alt = 0;
};

// The probability of at least as many heterozygotes at Hardy-Weinberg equilibrium, given the number of each allele:
// the one-sided exact test of Wigginton, Cutler and Abecasis, Am J Hum Genet 76 (2005), and ExcHet of bcftools.
double ExcessHeterozygosity(const GenotypeCounts& counts);

}  // namespace haplospin
