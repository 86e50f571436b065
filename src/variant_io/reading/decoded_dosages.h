// Dosages and posteriors of one record, decoded from VCF text or BCF.
#pragma once

#include <cstddef>
#include <vector>

#include "variant_io/reading/record_parser.h"
#include "variant_io/variant_file.h"

namespace haplospin {

struct DecodedDosages {
  std::vector<float> dosages;     // DS: [samples, ALTs], NaN where missing; empty without DS
  std::vector<float> posteriors;  // GP: [samples, 3], NaN beyond what is given; empty without GP, or with several ALTs
  std::vector<float> estimated_r2;  // [ALTs], NaN where missing
  std::vector<float> empirical_r2;  // the same
};

// Decodes what is not in `record`, the i-th of `raw`, which is of `file`. Throws InputError whose message names neither
// file nor record. Several threads may, into different records.
void DecodeDosages(const VariantFile& file, const RawRecords& raw, size_t i, const ParsedRecord& record,
                   DecodedDosages& decoded);

}  // namespace haplospin
