#include "genotypes/variant_io/writing/adapted_panel_file.h"

#include "core/output_file.h"
#include "core/zstd_frame.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int kAdaptationLevel = 12;  // of zstd, as PanelBuildOptions has it

}  // namespace

PanelFileSummary WriteAdaptedPanelFile(const PanelBlockReader& panel, const std::string& array,
                                       std::span<const PanelAdaptation> adaptations, const std::string& output) {
  PanelFileIndex index = panel.index();
  HS_ASSERT(!array.empty() && adaptations.size() == index.contigs.size());
  index.array = array;
  OutputFile file(output);
  uint64_t written = 0;
  const auto write = [&](std::string_view bytes) {
    file.Write(bytes);
    written += bytes.size();
  };
  write(PanelFileHeader());
  panel.CopyBlocks(write);
  for (size_t c = 0; c < adaptations.size(); ++c) {
    const std::string bytes = adaptations[c].Encode(), frame = CompressFrame(bytes, kAdaptationLevel);
    index.contigs[c].adaptation = {written, frame.size(), bytes.size()};
    write(frame);
  }
  write(PanelFileEnd(index, written, kAdaptationLevel));
  file.Commit();
  return Summarize(index, written);
}

}  // namespace haplospin
