// The sexes that are given of a study's people, beside what their genotypes on X tell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/oxford_samples.h"

namespace haplospin {

// Somebody whose X has two haplotypes though a male is given, or one though a female is.
struct SexContradiction {
  std::string sample;
  bool is_given_male = false;
  double inbreeding = 0;  // F on X, as PLINK's --check-sex: near 1 with one haplotype, near 0 with two
};

struct SexCheck {
  size_t compared = 0;  // people whose sex is given and whose X has enough genotypes
  std::vector<SexContradiction> contradictions;
};

struct SexCheckOptions {
  std::string study;                 // a file that can be read twice
  std::vector<std::string> contigs;  // of the file, those that may be read
  PloidyRegions regions;
  std::vector<std::string> filters;  // see StudyOptions
  const SampleSexes& sexes;
};

// Reads the genotypes of X outside its pseudo-autosomal regions as the file has them, and those of an autosome, the
// first. F is
// 1 - observed / expected heterozygotes, expected by the allele frequencies of all people with Nei's correction for
// their number; genotypes of one allele are homozygous. More than 0.8 is a male and less than 0.2 a female, as in PLINK
// (Purcell et al. 2007), but not a male where the autosome has no more heterozygotes either, as in an inbred line.
// People with fewer than 20 expected heterozygotes are not compared, and nobody where most males have two haplotypes,
// but the females are right: those are pseudo-autosomal regions. Throws InputError as RecordStream.
SexCheck CheckSexes(const SexCheckOptions& options);

}  // namespace haplospin
