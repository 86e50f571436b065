// Typed genotypes of the study samples, as read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

inline constexpr uint8_t kMissingAllele = 2;

// Haplotypes of a study: one byte per allele, 0, 1 or kMissingAllele; meant for the small number of markers of an
// array.
struct StudyGenotypes {
  std::string contig;
  SampleTable samples = {};
  std::vector<Marker> markers = {};
  std::vector<std::vector<uint8_t>> alleles = {};  // [markers][haplotypes]

  // [markers][samples] 1 where the genotype's alleles may be in either order. Empty, or an empty row: all are phased.
  std::vector<std::vector<uint8_t>> unphased = {};

  // [markers][samples] the phase set of each phased heterozygote: the phase between two sets is not known, that within
  // a set is. 0: phased with all others that have 0. Empty, or an empty row: all have.
  std::vector<std::vector<uint32_t>> phase_sets = {};

  // REF and ALT of a marker may be exchanged, as in a .bed of PLINK 1.9, which does not tell them apart.
  bool ref_is_unknown = false;
};

}  // namespace haplospin
