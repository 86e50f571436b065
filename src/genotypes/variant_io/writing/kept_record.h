// A record with several ALTs as it was read: its ALTs are markers of their own everywhere else.
#pragma once

#include <span>
#include <string>

#include "genotypes/variant_io/record_info.h"
#include "genotypes/variant_io/writing/record_sink.h"

namespace haplospin {

// Appends a line of VCF. Numbers of each ALT, and of each haplotype those of HDS and LDS, are in the order of the ALTs;
// GP has all genotypes, as VCF orders them. GT has the most probable allele of each haplotype. Throws InputError if
// there are more GP than a record can hold.
void AppendKeptLine(const std::string& contig, std::span<const KeptAlt> alts, const SampleTable& samples,
                    const OutputFields& fields, const DescribedInfo& described, std::string& out);

}  // namespace haplospin
