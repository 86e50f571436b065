// Output records as VCF text.
#pragma once

#include <string>

#include "genomics/output_genotypes.h"
#include "haplospin/genomics/dosage_writer.h"

namespace haplospin {

// Everything up to and including the #CHROM line.
std::string VcfHeader(const DosageWriter::Header& header, const SampleTable& samples, OutputFields fields);

// Appends the line of a record to `out`.
void AppendVcfLine(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes,
                   const SampleTable& samples, OutputFields fields, std::string& out);

}  // namespace haplospin
