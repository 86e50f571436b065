// A panel of another program: bref3, SAV and M3VCF by their first bytes; or .legend, .sample and .hap with lines "=="
// between them.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/reading/panel_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  std::string path;
  if (bytes.starts_with("id position")) {
    const auto parts = SplitFuzzInput(bytes, 3);
    WriteFuzzFile("panel.legend", parts[0]);
    WriteFuzzFile("panel.sample", parts[1]);
    path = WriteFuzzFile("panel.hap", parts[2]);
  } else {
    path = WriteFuzzFile("panel", bytes);
  }
  AcceptInputErrors([&] { ReadAllPieces(*OpenPanel(path)); });
  AcceptInputErrors([&] {
    const auto panel = OpenPanel(path);
    panel->Seek({"20", 1100, 1300});
    panel->SkipContig();
  });
}
