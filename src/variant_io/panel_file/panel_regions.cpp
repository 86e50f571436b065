#include <fmt/format.h>

#include <algorithm>

#include "genomics/sites/contig_names.h"
#include "haplospin/errors.h"
#include "variant_io/panel_file/panel_block_reader.h"
#include "variant_io/panel_file/panel_file.h"

namespace haplospin {

std::vector<Region> SplitPanelContig(const std::string& path, const std::string& contig, int64_t size,
                                     int64_t overlap) {
  HS_ASSERT(overlap >= 0 && overlap < size);
  const PanelBlockReader file(path);
  const auto& contigs = file.index().contigs;
  const auto found = std::ranges::find_if(contigs, [&](const auto& entry) { return SameContig(entry.name, contig); });
  if (found == contigs.end()) {
    std::vector<std::string> names;
    names.reserve(contigs.size());
    for (const auto& entry : contigs) names.push_back(entry.name);
    throw InputError(fmt::format("{}: contig {} is not in the panel (it has {})", path, contig, JoinNames(names)));
  }
  std::vector<Region> regions{{contig, 1, INT64_MAX}};
  int64_t first = found->blocks.front().first_position;  // of the present region's markers
  const int64_t last = found->blocks.back().last_position;
  for (const PanelBlockEntry& block : found->blocks) {
    if (block.last_position - first < size || block.last_position == last) continue;
    regions.back().end = block.last_position;
    first = block.last_position + 1;
    regions.push_back({contig, first - overlap, INT64_MAX});
  }
  return regions;
}

}  // namespace haplospin
