// The typed genotypes of study samples.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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

// An allele that a read shows at a marker.
struct ReadAllele {
  uint64_t read : 57 = 0;  // which read it is, the same at all markers that it covers; highest bit: of a barcode (BX)
  uint64_t is_alt : 1 = 0;
  uint64_t quality : 6 = 0;  // phred: that the allele was read wrongly
};

// Returns whether any of the alleles is missing.
inline bool HasMissing(std::span<const uint8_t> alleles) {
  return std::ranges::find(alleles, kMissingAllele) != alleles.end();
}

// The genotypes of the samples at one marker, with one byte per allele: meant for the few markers of an array. Only
// alleles have to be there. Each other table is empty, which has a meaning, or has an entry for each sample. Functions
// of one sample do not check that it is in range.
struct GenotypeRow {
  std::vector<uint8_t> alleles = {};  // [haplotypes] 0 (REF), 1 (ALT) or kMissingAllele

  // [samples] 1 where the alleles of a genotype may be in either order. Empty: all genotypes are phased.
  std::vector<uint8_t> unphased = {};

  // [samples] the phase set of each phased heterozygote: the phase within a set is known, that between two sets is not.
  // Empty: all are in the set 0.
  std::vector<uint32_t> phase_sets = {};

  // [samples] the likelihoods of genotypes with missing alleles. Empty: nothing is known of these.
  std::vector<GenotypeLikelihoods> likelihoods = {};

  // [haplotypes] the alleles that phasing begins with, 0 or 1. Empty: nothing is known.
  std::vector<uint8_t> guess = {};

  // The alleles that the reads of the samples show, which are also in the likelihoods: those of sample s from
  // first_read[s] to first_read[s + 1]. Both are empty where it is not known which alleles are of one read.
  std::vector<ReadAllele> reads = {};
  std::vector<uint32_t> first_read = {};  // [samples + 1]

  bool HasMissing() const { return haplospin::HasMissing(alleles); }
  bool HasLikelihoods() const { return !likelihoods.empty(); }

  bool IsUnphased(size_t sample) const { return !unphased.empty() && unphased[sample] != 0; }
  uint32_t PhaseSet(size_t sample) const { return phase_sets.empty() ? 0 : phase_sets[sample]; }

  // Flat where nothing is known.
  GenotypeLikelihoods Likelihoods(size_t sample) const {
    return likelihoods.empty() ? GenotypeLikelihoods() : likelihoods[sample];
  }

  std::span<const ReadAllele> Reads(size_t sample) const {
    if (first_read.empty()) return {};
    return std::span(reads).subspan(first_read[sample], first_read[sample + 1] - first_read[sample]);
  }
};

// A marker that a study has, with its genotypes.
struct StudyMarker {
  Marker marker;
  GenotypeRow genotypes;
};

// A study of one contig.
struct StudyGenotypes {
  std::string contig;
  SampleTable samples = {};
  std::vector<StudyMarker> markers = {};  // ascending by position

  // Whether REF and ALT of a marker may be exchanged, as in a .bed of PLINK 1.9, which does not tell them apart, and in
  // the VCF that PLINK makes of one.
  bool ref_is_unknown = false;
};

}  // namespace haplospin
