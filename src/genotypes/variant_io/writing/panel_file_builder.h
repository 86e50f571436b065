// Writes panel files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/panel_file/panel_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"

namespace haplospin {

struct PanelBuildOptions {
  int level = 12;                 // level of zstd, 1 to 19
  uint32_t block_markers = 2048;  // markers of a block, which is the least that is read: 1 to 16384
  std::optional<PloidyRegions>
      regions;  // regions where ploidy may change; nothing: by the build that the input declares
};

// Converts a panel; `input` is its name in messages. Markers, alleles, samples, contigs (names and lengths), and
// INFO that describes records (record_info.h) are kept, in their order; the rest of the header, QUAL, FILTER and other
// INFO are not. The bytes do not depend on the number of threads. Throws InputError as PanelReader does, or where
// `output` cannot be written; nothing is left then.
PanelFileSummary BuildPanelFile(PanelReader& panel, const std::string& input, const std::string& output,
                                const PanelBuildOptions& options);

}  // namespace haplospin
