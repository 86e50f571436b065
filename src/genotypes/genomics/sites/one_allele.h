// Samples of a study with one allele on an autosome, of which the people of the panel have two.
#pragma once

#include <cstddef>
#include <string>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

struct OneAlleleSamples {
  size_t samples = 0, of = 0;  // with one allele, and all
  std::string first, contig;   // name of the first such sample, and of the contig
};

// The arguments of bcftools that write the one allele of such a sample twice.
inline constexpr const char* kTwoAlleles = "+fixploidy -- -f 2";

// Returns none on X, Y, Z, W and mitochondria, and where a sample of the panel has one allele, or the panel none.
OneAlleleSamples FindOneAllele(const std::string& contig, const ContigPart& part, const SampleTable& study,
                               const SampleTable& panel);

}  // namespace haplospin
