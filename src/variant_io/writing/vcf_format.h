// Output records as VCF text.
#pragma once

#include <string>

#include "variant_io/writing/dosage_writer.h"
#include "variant_io/writing/output_genotypes.h"

namespace haplospin {

// The header's text.
std::string VcfHeader(const VariantHeader& header, const SampleTable& samples, OutputFields fields);

// Appends the line of a record to `out`.
void AppendVcfLine(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes,
                   const SampleTable& samples, OutputFields fields, std::string& out);

}  // namespace haplospin
