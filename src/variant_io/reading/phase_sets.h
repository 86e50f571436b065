// The phase sets (FORMAT PS) of a record.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "variant_io/reading/genotype_calls.h"

namespace haplospin {

// Fill calls.phase_sets of the phased heterozygotes, whose alleles were read before: PS + 1, or 0 where PS is missing.
// It stays empty if all are. `ps_field` is the place of PS in FORMAT. Throw InputError (its message names the sample
// but neither file nor record) for a PS that is not a whole number from 0; that of other genotypes has no meaning.
void ParsePhaseSets(std::string_view columns, size_t ps_field, const std::vector<std::string>& samples,
                    GenotypeCalls& calls);
void DecodePhaseSets(const bcf_fmt_t& ps, const std::vector<std::string>& samples, GenotypeCalls& calls);

}  // namespace haplospin
