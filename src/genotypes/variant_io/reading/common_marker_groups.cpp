#include "genotypes/variant_io/reading/common_marker_groups.h"

#include <oneapi/tbb/parallel_for.h>

#include <memory>
#include <utility>
#include <vector>

#include "genotypes/genomics/distinct_haplotypes.h"

namespace haplospin {
namespace {

constexpr size_t kGroupsAtATime = 2;  // the least number of groups, except at the end

}  // namespace

bool GroupCommonMarkers(MutablePanel& panel, bool is_last) {
  std::vector<MutablePanel::Group> groups;
  size_t count = 0;
  for (size_t m = panel.first_ungrouped(); m < panel.num_markers(); ++m) {
    if (panel.is_rare(m) || DistinctHaplotypes::FindColumn(panel, m).haplotypes != nullptr) continue;
    if (count++ % DistinctHaplotypes::kMaxMarkers == 0) groups.emplace_back();
    groups.back().markers.push_back(static_cast<uint32_t>(m));
  }
  if (!is_last && count > 0 && count < kGroupsAtATime * DistinctHaplotypes::kMaxMarkers) return false;
  tbb::parallel_for(size_t{0}, groups.size(), [&](size_t g) {
    groups[g].haplotypes = std::make_shared<DistinctHaplotypes>(panel, groups[g].markers);
  });
  panel.AddGroups(std::move(groups));
  return true;
}

}  // namespace haplospin
