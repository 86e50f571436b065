// Who descends from whom.
#pragma once

#include <cstddef>
#include <vector>

namespace haplospin {

// Returns whether a person is somebody, or an ancestor of somebody. `for_each_parent(child, visit)` calls visit(parent)
// with the known parents of each of the `num_people`.
template <typename ForEachParent>
bool IsAncestor(size_t person, size_t somebody, size_t num_people, const ForEachParent& for_each_parent) {
  std::vector<bool> seen(num_people);
  for (std::vector<size_t> open{somebody}; !open.empty();) {
    const size_t next = open.back();
    open.pop_back();
    if (next == person) return true;
    if (seen[next]) continue;
    seen[next] = true;
    for_each_parent(next, [&](size_t parent) { open.push_back(parent); });
  }
  return false;
}

}  // namespace haplospin
