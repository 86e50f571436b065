// Equivalent names of a contig.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace haplospin {

// "chr20" and "20" are the same contig, and so are "chrX", "X" and PLINK's "23", and "chrM" and "MT".
bool SameContig(std::string_view a, std::string_view b);

// "1, 2, 3", or "1, 2, 3 and 22 more" where there are more than `limit`; "none" where there is none.
std::string JoinNames(std::span<const std::string> names, size_t limit = 8);

}  // namespace haplospin
