// Files of genetic maps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "haplospin/genetic_map.h"

namespace haplospin {

// Reads a genetic map, gzipped or not, and keeps the rows of `contig` (see FindContig()). Columns are split at spaces
// and tabs, and told apart by the header line (`pos chr cM` of SHAPEIT and GLIMPSE, `chr position ... cM` of others);
// without one, four columns are PLINK's `chr id cM bp` and three are `pos chr cM`. Throws InputError if the file is
// empty, a number does not parse, it has no row for the contig, or positions do not increase or centimorgans decrease.
GeneticMap LoadGeneticMap(const std::string& path, const std::string& contig);

// Throws InputError if the map has no row for one of `contigs`, so that a run over many contigs does not end at the
// last, or if it has no column of contigs and there are several.
void CheckMapContigs(const std::string& path, std::span<const std::string> contigs);

// Returns the contigs of a map. Throws InputError if it has no column of contigs.
std::vector<std::string> ListMapContigs(const std::string& path);

}  // namespace haplospin
