// Places rare alleles on haplotypes that are phased at more frequent markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/phasing_rounds.h"
#include "genotypes/imputation/stages/phasing/scaffold.h"

namespace haplospin {

struct PlacedSample {
  SampleGenotypes sample;        // with the phase and the imputed alleles of the scaffold, at all typed markers
  std::vector<float> certainty;  // [hets] probability that the alleles are on the right haplotypes of the scaffold
};

// `phased` are the samples of the group at the markers of the scaffold; they copied each other, and no panel. Returns
// these samples at all typed markers of the study.
//
// A haplotype has an allele with the probability that it copies one that has it or, where it copies none of these, that
// a mutation made it since the ancestor that it shares with the copied haplotype, who lived the longer ago the shorter
// their match. Carriers that are not phased themselves are placed in turn until they agree. Missing alleles of rare
// markers have their frequency.
std::vector<PlacedSample> PlaceRareAlleles(const WindowStudy& study, const Scaffold& scaffold,
                                           const PhasedHaplotypes& phased, const SampleGroup& group);

}  // namespace haplospin
