#include "genotypes/genomics/sites/marker_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {

std::string NameBySite(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{}:{}:{}", contig, marker.position, marker.ref, marker.alt);
}

std::vector<std::string> MarkerNames(const std::string& contig, const Marker& marker) {
  std::vector<std::string> names{marker.id};
  const auto add = [&](std::string name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  for (std::string_view ids = marker.id; !ids.empty();) {
    const size_t end = std::min(ids.find(';'), ids.size());
    add(std::string(ids.substr(0, end)));
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
  const std::string bare(CanonicalContig(contig));
  for (const std::string& name : {contig, bare, "chr" + bare}) add(NameBySite(name, marker));
  return names;
}

}  // namespace haplospin
