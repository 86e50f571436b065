// The typed genotypes of study samples.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

inline constexpr uint8_t kMissingAllele = 2;

// How likely the reads of a sample are, given each of its genotypes.
struct GenotypeLikelihoods {
  std::array<uint8_t, 3> phred{};  // [ALT alleles] -10 log10, 0 for the most likely; a haploid sample has 0 or 2

  // Returns whether the reads tell nothing of the genotype. With as many reads of either allele, both homozygotes are
  // equally likely, but less than a heterozygote.
  bool IsFlat() const { return phred[0] == 0 && phred[2] == 0 && (phred[1] == 0 || phred[1] == UINT8_MAX); }
};

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

  // [markers][samples] the likelihoods of genotypes with missing alleles. In an empty row, or an empty table, nothing
  // is known of these.
  std::vector<std::vector<GenotypeLikelihoods>> likelihoods = {};

  // Whether REF and ALT of a marker may be exchanged, as in a .bed of PLINK 1.9, which does not tell them apart.
  bool ref_is_unknown = false;
};

}  // namespace haplospin
