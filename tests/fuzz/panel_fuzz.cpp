// A panel: VCF or BCF, phased and complete.
#include "fuzz/fuzz_input.h"
#include "variant_io/reading/panel_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("panel", bytes);
  AcceptInputErrors([&] { ReadAllPieces(*OpenPanel(path)); });
  AcceptInputErrors([&] {
    const auto panel = OpenPanel(path);
    panel->Seek({"20", 10'004'000, 10'020'000});
    panel->SkipContig();
  });
}
