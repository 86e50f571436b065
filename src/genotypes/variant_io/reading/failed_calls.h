// Genotypes that failed a filter of genotypes (FORMAT/FT), which is not that of the record (FILTER).
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "genotypes/variant_io/reading/genotype_calls.h"

namespace haplospin {

struct FailedCalls {
  size_t genotypes = 0;  // that were called, and whose FT is neither PASS nor missing
  std::string first;     // FT of the first

  void Add(const FailedCalls& other) {
    if (genotypes == 0) first = other.first;
    genotypes += other.genotypes;
  }
};

// Counts those of a record. `format` and `columns` are text of VCF.
FailedCalls CountFailedCalls(std::string_view format, std::string_view columns, const GenotypeCalls& calls);
FailedCalls CountFailedCalls(const bcf_hdr_t* header, bcf1_t& record, const GenotypeCalls& calls);

// The arguments of bcftools that make them missing.
inline constexpr const char* kRemoveFailedCalls = "+setGT -- -t q -n . -i 'FT!=\"PASS\" & FT!=\".\"'";

}  // namespace haplospin
