// How messages name a site.
#pragma once

#include <string>

#include "haplospin/marker.h"

namespace haplospin {

// "20:100 A>C".
std::string SiteName(const std::string& contig, const Marker& marker);

// "20:100 A>C, panel has C>A".
std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel);

}  // namespace haplospin
