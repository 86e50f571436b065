// A study in PLINK's files: .fam, .bim and .bed, with lines "==" between them.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/reading/study_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const auto parts = SplitFuzzInput(bytes, 3);
  WriteFuzzFile("study.fam", parts[0]);
  WriteFuzzFile("study.bim", parts[1]);
  const std::string path = WriteFuzzFile("study.bed", parts[2]);
  AcceptInputErrors([&] {
    StudyReader study(path, {.unphased = Unphased::kReadAll});
    ReadAllPieces(study);
  });
}
