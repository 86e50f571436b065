// Whether the sample columns of a line of VCF are what its header declares.
#pragma once

#include <htslib/vcf.h>

#include <string>
#include <string_view>

namespace haplospin {

// Returns what is wrong with FORMAT or a sample's values, or "": a field that the header does not declare, more values
// than FORMAT has keys, an allele that the record does not have, or text where a number is declared. The line has the
// samples of the header. Several threads may call it at once.
std::string SampleColumnDamage(const bcf_hdr_t* header, std::string_view line);

}  // namespace haplospin
