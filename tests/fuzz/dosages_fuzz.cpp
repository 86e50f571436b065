// An imputed file: genotypes, dosages and posteriors of any program.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/reading/dosage_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("imputed", bytes);
  AcceptInputErrors([&] {
    DosageReader reader(path);
    DosageRow row;
    while (reader.Next(row)) {
    }
  });
}
