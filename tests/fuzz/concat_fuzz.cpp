// Two files to be joined, with a line "==" between them: as they are, and compressed, so that blocks are copied.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/joining/concat.h"
#include "genotypes/variant_io/variant_file.h"

using namespace haplospin;

namespace {

size_t CountRecords(const std::string& path) {
  VariantFile file(path);
  RawRecords records;
  size_t count = 0;
  while (file.Read(records)) count += records.size();
  return count;
}

void JoinAndRead(const std::string& first, const std::string& second, const std::string& out) {
  for (const bool ligate : {false, true}) {
    AcceptInputErrors([&] {
      const size_t records = Concat({.pieces = {first, second}, .out = out, .ligate = ligate}).records;
      HS_ASSERT(CountRecords(out) == records);
    });
  }
}

}  // namespace

void FuzzOne(std::string_view bytes) {
  const auto parts = SplitFuzzInput(bytes, 2);
  const std::string out = FuzzPath(bytes.starts_with("BCF") ? "out.bcf" : "out.vcf.gz");
  JoinAndRead(WriteFuzzFile("first", parts[0]), WriteFuzzFile("second", parts[1]), out);
  JoinAndRead(WriteBgzip("first.gz", parts[0]), WriteBgzip("second.gz", parts[1]), out);
}
