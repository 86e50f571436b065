#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
  const std::vector<std::string> names = file.index().ContigNames();
  const std::optional<std::string> name = FindContig(names, contig);
  if (!name) {
    throw InputError(fmt::format("{}: contig {} is not in the panel (it has {})", path, contig, JoinNames(names)));
  }
  const auto found = std::ranges::find(contigs, *name, &PanelFileIndex::Contig::name);
  std::vector<PanelBlockEntry> blocks;  // of all parts of the contig
  for (auto part = found; part != contigs.end() && part->name == *name; ++part) {
    blocks.insert(blocks.end(), part->blocks.begin(), part->blocks.end());
  }
  std::vector<Region> regions{{contig, 1, INT64_MAX}};
  int64_t first = blocks.front().first_position;  // of the present region's markers
  const int64_t last = blocks.back().last_position;
  for (const PanelBlockEntry& block : blocks) {
    if (block.last_position - first < size || block.last_position == last) continue;
    regions.back().end = block.last_position;
    first = block.last_position + 1;
    regions.push_back({contig, first - overlap, INT64_MAX});
  }
  return regions;
}

}  // namespace haplospin
