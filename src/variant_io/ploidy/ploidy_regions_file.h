// Files of pseudo-autosomal regions.
#pragma once

#include <string>

#include "genomics/sites/ploidy_regions.h"

namespace haplospin {

// Reads lines of a contig, a first and a last position in bp; lines that begin with "#" are ignored. Throws InputError
// if a line is not that, there is none, or regions overlap.
PloidyRegions LoadPloidyRegions(const std::string& path);

}  // namespace haplospin
