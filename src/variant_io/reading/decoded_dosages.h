// Genotypes, dosages and posteriors of one record, decoded from VCF text or BCF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "variant_io/reading/genotype_calls.h"
#include "variant_io/variant_file.h"

namespace haplospin {

struct DecodedDosages {
  std::string contig;
  int64_t position = 0;
  std::string id, ref;
  std::vector<std::string> alts;
  bool has_calls = false;
  GenotypeCalls calls;            // GT
  std::vector<float> dosages;     // DS: [samples, ALTs], NaN where missing; empty without DS
  std::vector<float> posteriors;  // GP: [samples, 3], NaN beyond what is given; empty without GP, or with several ALTs
  std::vector<float> estimated_r2;  // [ALTs], NaN where missing
  std::vector<float> empirical_r2;  // the same
};

// Decodes the i-th of `raw`, a record of `file`. Throws InputError whose message names neither file nor record; contig
// and position are then set if both could be read. Several threads may, into different records.
void DecodeDosages(const VariantFile& file, const RawRecords& raw, size_t i, DecodedDosages& decoded);

}  // namespace haplospin
