// Output records as VCF text.
#pragma once

#include <string>

#include "variant_io/writing/dosage_writer.h"
#include "variant_io/writing/output_genotypes.h"

namespace haplospin {

// The lines of the header that declare INFO and FORMAT.
std::string DeclaredFields(OutputFields fields);

// Appends the line of a record to `out`.
void AppendVcfLine(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes,
                   const SampleTable& samples, OutputFields fields, std::string& out);

}  // namespace haplospin
