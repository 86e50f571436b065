// A panel: VCF or BCF, phased and complete.
#include "fuzz/fuzz_input.h"
#include "genotypes/imputation/window/allele_sums.h"
#include "genotypes/variant_io/reading/panel_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("panel", bytes);
  AcceptInputErrors([&] { ReadAllPieces(*OpenPanel(path)); });
  AcceptInputErrors([&] {
    const auto reader = OpenPanel(path);
    MutablePanel panel = reader->StartContig();
    reader->ReadUntil(INT64_MAX, panel);
    const std::vector<const std::vector<uint8_t>*> typed(panel.num_markers());
    std::vector<float> alt(panel.num_markers() * panel.num_haplotypes(), 0.75f);
    ScaleAlleleSums(panel, {0, panel.num_markers()}, typed, alt);
    for (const float probability : alt) HS_ASSERT(probability >= 0 && probability <= 0.75f);
  });
  AcceptInputErrors([&] {
    const auto panel = OpenPanel(path);
    panel->Seek({"20", 10'004'000, 10'020'000});
    panel->SkipContig();
  });
}
