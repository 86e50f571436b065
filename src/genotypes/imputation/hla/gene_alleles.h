// The alleles of a gene on the haplotypes of a panel, of which only the two of each person are known.
#pragma once

#include <cstdint>
#include <vector>

#include "genotypes/imputation/hla/gene_copying.h"
#include "genotypes/variant_io/hla/hla_types.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Returns the allele of each haplotype, [haplotypes]. A haplotype has an allele with the probability that those that it
// copies have it. Since of these only the pairs are known as well, probabilities and pairs are found in turn
// (expectation maximization), until they no longer change. In the end each person has the most probable order of the
// two alleles. What is not known of a type is imputed so, too.
std::vector<uint32_t> PlaceAlleles(const HlaGeneTypes& types, const SampleTable& samples, const CopiedAtGene& copied);

}  // namespace haplospin
