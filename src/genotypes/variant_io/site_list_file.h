// Files of site lists.
#pragma once

#include <string>

#include "genotypes/genomics/sites/site_list.h"

namespace haplospin {

// Returns whether the name of a text file says that it is BED: .bed, or .bed.gz.
bool IsBedName(const std::string& path);

// Reads lines of a contig and a position in bp, further columns ignored, as are lines that begin with "#"; gzipped or
// not. BED has a contig, the position before the first and the last one: a file is BED if its name ends with .bed (or
// .bed.gz), it has a line "track" or "browser", or every line has a third column that is one more than the second.
// A BCF file has the positions of its records. Throws InputError if a line is neither, or there is none.
SiteList LoadSiteList(const std::string& path);

// Reads lines of a marker's ID, or what LoadSiteList() reads. Throws InputError if a line is neither, or there is none.
MarkerList LoadMarkerList(const std::string& path);

}  // namespace haplospin
