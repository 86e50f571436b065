// Equivalent names of a contig.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace haplospin {

// The same for all names of a contig: "20", "X", "MT".
std::string_view CanonicalContig(std::string_view name);

// "chr20" and "20" are the same contig, and so are "chrX", "X" and PLINK's "23", and "chrM" and "MT".
bool SameContig(std::string_view a, std::string_view b);

// Whether VCF can hold a contig of this name: it has no blank, comma, quote or angle bracket.
bool IsContigName(std::string_view name);

// "1, 2, 3", or "1, 2, 3 and 22 more" where there are more than `limit`; "none" where there is none.
std::string JoinNames(std::span<const std::string> names, size_t limit = 8);

}  // namespace haplospin
