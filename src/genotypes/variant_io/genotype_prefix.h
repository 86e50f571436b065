// The phase of the first allele of a genotype. From VCF 4.4 on, text may have it as a prefix: "/0|1", "|0/1". Without
// one, the first allele is phased if all others are. BCF has a bit for it, which HTSlib writes from 1.22 on and ignores
// before, as it refuses the prefixes before. For sources of this module only.
#pragma once

#include <htslib/kstring.h>
#include <htslib/vcf.h>

#include <string>
#include <vector>

namespace haplospin {

// Returns whether the version of the header, "VCFv4.4" or later, has prefixes.
bool HasGenotypePrefixes(const bcf_hdr_t* header);

// Removes the prefixes from a line of text. Returns that of each sample, 0 where there is none; empty if no sample has
// one.
std::vector<char> TakeGenotypePrefixes(kstring_t& line);

// Sets the bits of a record that was read from such a line. `prefixes` are those that were taken.
void SetFirstPhases(const std::vector<char>& prefixes, const bcf_hdr_t* header, bcf1_t* record);

// Adds the prefixes that the bits of a record tell to its line of text, where they are needed.
void AddGenotypePrefixes(const bcf_hdr_t* header, bcf1_t* record, std::string& line);

}  // namespace haplospin
