// A first guess of the haplotypes of samples without a panel: found quickly, and good enough to search for matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// Sets the phase of the heterozygotes that the study does not phase, and missing alleles, to those of the neighbors of
// each haplotype in the positional Burrows-Wheeler order (Durbin 2014), as SHAPEIT4 does (Delaneau et al. 2019). Sweeps
// go forward and backward in turn. `alleles` are those of all samples, [typed][haplotypes]: missing ones only in the
// samples to be found, of which samples[k] has the haplotypes from first[k] on. `centimorgans` are [typed].
void GuessHaplotypes(std::vector<std::vector<uint8_t>> alleles, std::span<const uint32_t> first,
                     std::span<const double> centimorgans, std::span<SampleGenotypes> samples);

}  // namespace haplospin
