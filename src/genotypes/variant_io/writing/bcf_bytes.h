// The bytes of BCF2 (VCF specification, section 6), before compression.
#pragma once

#include <htslib/vcf.h>

#include <string>

namespace haplospin {

// Appends the header as a file begins with it.
void AppendBcfHeader(const bcf_hdr_t* header, std::string& bytes);

// Appends a record. It must be packed, as HTSlib has parsed or copied it: values that were set since are not in it.
void AppendBcfRecord(const bcf1_t& packed, std::string& bytes);

}  // namespace haplospin
