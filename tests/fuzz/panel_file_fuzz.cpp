// A panel file (.hsp), whole. Its parts have checksums: panel_index_fuzz and panel_block_fuzz go behind them.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/panel_file/panel_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("panel.hsp", bytes);
  AcceptInputErrors([&] { ReadAllPieces(*OpenPanelFile(path)); });
  AcceptInputErrors([&] {
    const auto panel = OpenPanelFile(path);
    for (; panel->NextContig(); panel->SkipContig()) panel->Adaptation();
  });
  AcceptInputErrors([&] {
    const auto panel = OpenPanelFile(path);
    panel->Seek({"20", 10'004'000, 10'020'000});
    ReadAllPieces(*panel);
  });
  AcceptInputErrors([&] {
    for (const auto& contig : SummarizePanelFile(path).contigs) SplitPanelContig(path, contig.name, 100, 0);
  });
}
