// A first guess of the haplotypes of samples with genotype likelihoods, without a panel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genotypes/imputation/models/phasing/missing_alleles.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// Sets the phase of heterozygotes and missing alleles. Where most genotypes have few reads, no sample's haplotypes are
// known well enough for others to copy them. So a few clusters are fitted to the likelihoods first, by
// expectation-maximization over pairs of clusters, as STITCH does (Davies et al. 2016). The haplotypes of a sample are
// those of a pair of mosaics of clusters that is drawn from the posterior distribution. The probabilities of the
// missing genotypes, those of several fits, are added to `average`, [samples]: what samples later copy of each other is
// worse where they share little. `names` are of the samples, `centimorgans` [typed]. Runs on all threads; the result
// does not depend on their number.
void GuessFromClusters(std::span<const double> centimorgans, std::span<const std::string> names, uint64_t seed,
                       std::span<SampleGenotypes> samples, std::span<MissingAlleles> average);

}  // namespace haplospin
