// Files of site lists.
#pragma once

#include <string>

#include "genotypes/genomics/sites/site_list.h"

namespace haplospin {

// Reads lines of a contig and a position in bp, further columns ignored, as are lines that begin with "#"; gzipped or
// not. Throws InputError if a line is not that, or there is none.
SiteList LoadSiteList(const std::string& path);

// Reads lines of a marker's ID, or of a contig and a position as LoadSiteList(). Throws InputError if a line is
// neither, or there is none.
MarkerList LoadMarkerList(const std::string& path);

}  // namespace haplospin
