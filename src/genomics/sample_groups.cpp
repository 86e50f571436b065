#include "genomics/sample_groups.h"

#include <algorithm>

namespace haplospin {

SampleGroups::SampleGroups(std::span<const std::string> groups) {
  for (const std::string& group : groups) {
    const auto known = std::ranges::find(names_, group);
    group_of_.push_back(static_cast<size_t>(known - names_.begin()));
    if (known == names_.end()) names_.push_back(group);
  }
}

}  // namespace haplospin
