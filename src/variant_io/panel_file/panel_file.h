// haplospin's own file of a reference panel: compact, and quick to load. docs/panel-format.md has the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "genomics/region.h"
#include "variant_io/reading/panel_reader.h"

namespace haplospin {

// Whether the file begins as a panel file does, whatever its name. False where it cannot be read.
bool IsPanelFile(const std::string& path);

// `threads` decompress blocks side by side.
std::unique_ptr<PanelReader> OpenPanelFile(const std::string& path, int threads);

struct PanelBuildOptions {
  int level = 12;                 // of zstd, 1 to 19
  uint32_t block_markers = 2048;  // in a block: the least that is read, 1 to 16384
  int threads = 1;
};

// Converts what OpenPanel() takes. Markers, alleles, samples and contigs (names and lengths) are kept, in their order;
// the rest of the header, QUAL, FILTER and INFO are not. The bytes do not depend on `threads`. Throws InputError as
// PanelReader does, or where `output` cannot be written; nothing is left then.
void BuildPanelFile(const std::string& input, const std::string& output, const PanelBuildOptions& options);

struct PanelFileSummary {
  struct Contig {
    std::string name;
    int64_t length = 0;  // bp, 0: unknown
    int64_t first_position = 0;
    int64_t last_position = 0;
    size_t haplotypes = 0;
    size_t markers = 0;
    size_t rare_markers = 0;  // stored as lists of carriers
    size_t blocks = 0;
    uint64_t bytes = 0;  // of these blocks
  };
  uint64_t version = 0;
  uint64_t bytes = 0;
  size_t samples = 0;
  std::vector<Contig> contigs;  // those with markers
};

// From the index of a panel file; no block is read. Throws InputError where the file is none, or damaged.
PanelFileSummary SummarizePanelFile(const std::string& path);

// Regions that cover a contig, to be imputed apart: each has markers, and its markers span `size` bp or little more, as
// far as they are cut where blocks of the file end. The first begins at 1, the last has no end. From the index alone.
// Throws InputError as SummarizePanelFile(), or where the file has no such contig.
std::vector<Region> SplitPanelContig(const std::string& path, const std::string& contig, int64_t size);

}  // namespace haplospin
