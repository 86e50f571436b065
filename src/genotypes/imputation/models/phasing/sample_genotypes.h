// A diploid study sample while it is phased, and the phase that the study gives it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_reads.h"
#include "genotypes/imputation/window/window_study.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

inline constexpr uint8_t kCertainAlt = 255;  // the probability 1 of ALT in bytes

// Returns the likelihood of the genotype with a number of ALT alleles.
float Likelihood(const GenotypeLikelihoods& genotype, size_t alts);

struct SampleGenotypes {
  uint32_t ploidy = 2;  // a haploid sample, whose missing alleles are imputed, has no alleles on the second haplotype
  std::array<std::vector<uint8_t>, 2> alleles;  // [haplotype][typed] 0, 1 or kMissingAllele; the present phase
  std::vector<uint32_t> hets;                   // heterozygous typed markers, ascending

  // If missing alleles are imputed from other samples: the typed markers at which the sample has any, ascending, the
  // likelihoods of these genotypes, and [haplotype][missing] the probability of ALT on the present haplotypes there, in
  // 255ths, which other samples copy. Where the likelihoods are flat, it is no evidence for the sample itself.
  std::vector<uint32_t> missing;
  std::vector<GenotypeLikelihoods> likelihoods;  // [missing]
  std::array<std::vector<uint8_t>, 2> imputed;

  // Where it is known which alleles are of one read, these take the place of the likelihoods of their genotypes.
  SampleReads reads;

  // [missing] whether the genotype tells so little that it is found from the markers around it alone; empty: none is.
  std::vector<bool> is_passive;

  // The phase that the study gives, within its phase sets. Both are empty if it gives none.
  std::vector<uint8_t> given;       // [hets] allele of the first haplotype; kMissingAllele where it is to be found
  std::vector<bool> continues_set;  // [hets] whether the next heterozygote is inside the same set, given or not

  // Returns the number of typed markers at which alleles are known, or likelihoods tell anything.
  size_t CountKnown() const;

  bool IsGiven(size_t h) const { return !given.empty() && given[h] != kMissingAllele; }
  bool ContinuesSet(size_t h) const { return !continues_set.empty() && continues_set[h]; }

  // Returns whether the present phase of a given heterozygote is exchanged relative to the study.
  bool IsExchanged(size_t h) const { return alleles[0][hets[h]] != given[h]; }
};

// Returns the alleles of haplotype c, with the most probable ones where alleles were imputed.
std::vector<uint8_t> ImputedAlleles(const SampleGenotypes& sample, size_t c);

// Returns whether the ALT allele of each heterozygote is on the same haplotype as that of the heterozygote before it:
// [hets], false for the first.
std::vector<bool> CisPhase(const SampleGenotypes& sample);

// Sets the phase to what CisPhase() returns; haplotype 0 keeps its allele at the first heterozygote.
void SetCis(const std::vector<bool>& cis, SampleGenotypes& sample);

// Returns whether all heterozygotes of the sample are phased, and in no phase set.
bool HasPhase(const WindowStudy& study, size_t sample);

// Returns whether an allele of the sample is missing.
bool HasMissing(const WindowStudy& study, size_t sample);

// A sample that lacks this share of its genotypes is on a smaller chip than others.
inline constexpr double kIncompleteShare = 0.3;

// Returns whether a sample lacks many of its alleles, so that most of what it has will be imputed.
bool IsIncomplete(const SampleGenotypes& sample);

// Returns SampleGenotypes::is_passive: whether each missing genotype is without likelihoods, or at a marker where the
// less frequent allele has a frequency below `min_frequency` and most probably is not in the reads of the sample.
// `alt_frequency` is that of the reference, [typed].
std::vector<bool> PassiveGenotypes(const SampleGenotypes& sample, std::span<const float> alt_frequency,
                                   float min_frequency);

// Returns a sample to be phased. Where phase sets overlap, only the one that begins first is kept, and heterozygotes of
// the other one count as unphased: the sampler exchanges all that lies ahead, so it cannot turn an interrupted set.
SampleGenotypes ReadGenotypes(const WindowStudy& study, size_t sample, bool imputes_missing);
std::vector<SampleGenotypes> ReadGenotypes(const WindowStudy& study, std::span<const size_t> samples,
                                           bool imputes_missing);

// Exchanges the haplotypes if most of the heterozygotes that the study phases in no set have the other orientation. In
// a sample without these, the heterozygotes that were phased in an earlier window decide. Returns whether it did.
bool KeepOrientation(const WindowStudy& study, size_t sample, SampleGenotypes& phased);

}  // namespace haplospin
