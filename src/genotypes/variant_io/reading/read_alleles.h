// The alleles that reads show at a marker, as a FORMAT field of the lines that stand for alignment files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {

// The name of the field. Each allele is a number: a ReadAllele in hexadecimal digits.
inline constexpr const char* kReadField = "READS";

// Appends the alleles of a sample, "." if there are none.
void AppendReadAlleles(std::span<const ReadAllele> alleles, std::string& text);

// The alleles of a record: those of sample s are from first[s] to first[s + 1].
struct ReadAlleleRow {
  std::vector<ReadAllele> alleles;
  std::vector<uint32_t> first;

  bool empty() const { return first.empty(); }
  std::span<const ReadAllele> At(size_t s) const {
    return std::span(alleles).subspan(first[s], first[s + 1] - first[s]);
  }
};

// Decodes the sample columns of a line. `field_index` is the place of the field in FORMAT.
ReadAlleleRow ParseReadAlleles(std::string_view columns, size_t field_index);

}  // namespace haplospin
