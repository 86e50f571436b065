// The genotype of a sample in a record of a study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "genotypes/variant_io/reading/parsed_record.h"

namespace haplospin {

// Returns whether one of two alleles is missing. Some programs write the alleles of haploid males so.
inline bool IsHalfMissing(const GenotypeCalls& calls, size_t column) {
  const int16_t first = calls.alleles[2 * column], second = calls.alleles[2 * column + 1];
  return second != kAbsentCall && (first < 0) != (second < 0);
}

// The number of alleles that are called, or nothing if all are missing, which may be written "." or "./.".
inline std::optional<int> CalledPloidy(const GenotypeCalls& calls, size_t column) {
  const int16_t first = calls.alleles[2 * column], second = calls.alleles[2 * column + 1];
  if (first < 0 && second < 0) return std::nullopt;
  return second == kAbsentCall ? 1 : 2;
}

// The number of alleles that the call tells or, without one, the likelihoods: one of each allele is of a haploid
// sample.
inline std::optional<int> FindPloidy(const ParsedRecord& record, size_t column) {
  const auto called = CalledPloidy(record.calls, column);
  if (called || record.is_haploid.empty() || !record.is_haploid[column]) return called;
  return 1;
}

inline bool HasGenotype(const ParsedRecord& record, size_t column) {
  return record.likelihoods.empty() ? CalledPloidy(record.calls, column).has_value()
                                    : !record.likelihoods[0][column].IsFlat();
}

inline void SetMissing(size_t column, ParsedRecord& record) {
  record.calls.alleles[2 * column] = record.calls.alleles[2 * column + 1] = kMissingCall;
  if (!record.calls.unphased.empty()) record.calls.unphased[column] = 0;
  if (!record.is_haploid.empty()) record.is_haploid[column] = false;
  for (auto& row : record.likelihoods) row[column] = {};
}

}  // namespace haplospin
