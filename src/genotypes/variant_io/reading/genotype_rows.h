// The genotypes of a study's samples in a record, for one of its ALT alleles.
#pragma once

#include <cstddef>

#include "genotypes/variant_io/reading/parsed_record.h"
#include "genotypes/variant_io/reading/part_samples.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// Returns the genotypes of the samples of a part for the ALT of index `alt`, whose alleles are 1. Two different alleles
// of a haploid male are missing.
GenotypeRow MakeGenotypeRow(const ParsedRecord& record, size_t alt, const PartSamples& samples, Unphased unphased);

}  // namespace haplospin
