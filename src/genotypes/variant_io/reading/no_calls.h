// Homozygotes of REF that no read has shown: GATK, DeepVariant and GLnexus may write 0/0 where they have not called.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <string_view>

#include "genotypes/variant_io/reading/genotype_calls.h"

namespace haplospin {

// Sets genotypes of REF alone to missing whose DP is 0, or whose PL are all 0, and returns how many there were. Records
// of FORMAT DS or GP are left as they are: their genotypes are imputed. `format` and `columns` are text of VCF.
size_t RemoveNoCalls(std::string_view format, std::string_view columns, GenotypeCalls& calls);
size_t RemoveNoCalls(const bcf_hdr_t* header, bcf1_t& record, GenotypeCalls& calls);

}  // namespace haplospin
