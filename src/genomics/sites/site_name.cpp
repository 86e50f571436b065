#include "genomics/sites/site_name.h"

#include <fmt/format.h>

namespace haplospin {

std::string SiteName(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref, marker.alt);
}

std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel) {
  return fmt::format("{}, panel has {}>{}", SiteName(contig, study), panel.ref, panel.alt);
}

}  // namespace haplospin
