// Two imputed files with a line "==" between them, merged as batches of samples, and as imputations of the same ones,
// with records of several ALTs split and kept.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/joining/merge.h"
#include "genotypes/variant_io/joining/meta_imputation.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const auto parts = SplitFuzzInput(bytes, 2);
  MergeOptions options{.pieces = {WriteFuzzFile("first", parts[0]), WriteFuzzFile("second", parts[1])},
                       .out = FuzzPath("out.vcf")};
  for (const bool keeps_records : {false, true}) {
    options.fields.keeps_records = keeps_records;
    AcceptInputErrors([&] { MergeSamples(options); });
    AcceptInputErrors([&] { MetaImpute(options); });
  }
}
