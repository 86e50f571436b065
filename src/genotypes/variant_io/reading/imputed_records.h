// Records whose genotypes an imputation program has imputed, and that are no typed markers.
#pragma once

#include <htslib/vcf.h>

#include <string>
#include <string_view>

namespace haplospin {

// Returns the flag of INFO by which such a program marks the record: IMP of Beagle and haplospin, or IMPUTED of
// Minimac; null without one.
const char* ImputationFlag(std::string_view info);
const char* ImputationFlag(const bcf_hdr_t* header, bcf1_t& record);  // its INFO is unpacked

// Returns the arguments of bcftools that leave out the records with a flag.
std::string LeaveOutImputed(const std::string& flag);

}  // namespace haplospin
