#include "genotypes/variant_io/reading/people_chips.h"

#include <algorithm>

namespace haplospin {
namespace {

// Returns the number of positions of both, which are sorted.
size_t CountShared(std::span<const PersonalCall> a, std::span<const PersonalCall> b) {
  size_t shared = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].position == b[j].position) ++shared;
    const bool is_first = a[i].position <= b[j].position, is_second = b[j].position <= a[i].position;
    i += is_first ? 1 : 0;
    j += is_second ? 1 : 0;
  }
  return shared;
}

bool AreOfOneChip(const PersonalFile& a, const PersonalFile& b) {
  size_t shared = 0;
  for (const auto& [contig, calls] : a.calls) {
    const auto other = b.calls.find(contig);
    if (other != b.calls.end()) shared += CountShared(calls, other->second);
  }
  return static_cast<double>(shared) >= kSharedByChip * static_cast<double>(std::max(a.NumCalls(), b.NumCalls()));
}

}  // namespace

std::vector<std::vector<size_t>> GroupByChip(std::span<const PersonalFile> people) {
  std::vector<std::vector<size_t>> chips;
  for (size_t p = 0; p < people.size(); ++p) {
    const auto is_own = [&](const std::vector<size_t>& chip) { return AreOfOneChip(people[chip[0]], people[p]); };
    auto own = std::ranges::find_if(chips, is_own);
    if (own == chips.end()) own = chips.insert(own, std::vector<size_t>());
    own->push_back(p);
  }
  return chips;
}

}  // namespace haplospin
