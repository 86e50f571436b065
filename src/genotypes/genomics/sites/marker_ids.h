// The IDs of a marker, which may have several.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace haplospin {

// Calls visit(id) with the ID of a marker as it is and, where it has several, as "rs1;rs2" in VCF, with each of them.
template <typename Visit>
void ForEachId(const std::string& ids, const Visit& visit) {
  visit(ids);
  if (ids.find(';') == std::string::npos) return;
  for (std::string_view rest = ids; !rest.empty();) {
    const size_t end = std::min(rest.find(';'), rest.size());
    if (end > 0) visit(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace haplospin
