// Contigs of which not everybody has two copies, by their names.
#pragma once

#include <string_view>

namespace haplospin {

// Returns whether males, females or both have one haplotype of the contig, by its name: X, Y, Z, W or MT.
bool IsSexOrMitochondrial(std::string_view contig);

}  // namespace haplospin
