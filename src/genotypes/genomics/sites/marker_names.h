// What markers are called in lists of them.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

// The name of a marker without an ID, as plink2 and haplospin (--set-ids) give it: "chr20:100:A:C".
std::string NameBySite(const std::string& contig, const Marker& marker);

// Returns the different names of a marker: its ID as it is and, where it has several, as "rs1;rs2" in VCF, each of
// them; and its name by the site, with each way to write the contig ("chr20", "20").
std::vector<std::string> MarkerNames(const std::string& contig, const Marker& marker);

// Calls visit(entry) with the entries of a list that have one of a marker's names.
template <typename Visit>
void ForEachNamed(const std::unordered_multimap<std::string, size_t>& by_name, const std::string& contig,
                  const Marker& marker, const Visit& visit) {
  if (by_name.empty()) return;
  for (const std::string& name : MarkerNames(contig, marker)) {
    const auto [first, last] = by_name.equal_range(name);
    for (auto entry = first; entry != last; ++entry) visit(entry->second);
  }
}

}  // namespace haplospin
