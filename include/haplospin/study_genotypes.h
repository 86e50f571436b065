// The typed genotypes of study samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

inline constexpr uint8_t kMissingAllele = 2;

// A study of one contig, with one byte per allele: meant for the few markers of an array. Tables have one row for each
// marker.
struct StudyGenotypes {
  std::string contig;
  SampleTable samples = {};
  std::vector<Marker> markers = {};
  std::vector<std::vector<uint8_t>> alleles = {};  // [markers][haplotypes] 0 (REF), 1 (ALT) or kMissingAllele

  // [markers][samples] 1 where the alleles of a genotype may be in either order. All genotypes of an empty row, or of
  // an empty table, are phased.
  std::vector<std::vector<uint8_t>> unphased = {};

  // [markers][samples] the phase set of each phased heterozygote: the phase within a set is known, that between two
  // sets is not. An empty row, or an empty table, has the set 0 for all.
  std::vector<std::vector<uint32_t>> phase_sets = {};

  // Whether REF and ALT of a marker may be exchanged, as in a .bed of PLINK 1.9, which does not tell them apart.
  bool ref_is_unknown = false;
};

}  // namespace haplospin
