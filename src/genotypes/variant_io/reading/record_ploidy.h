// The number of alleles of a panel's samples, one or two, in its records.
#pragma once

#include <cstddef>
#include <vector>

#include "genotypes/variant_io/reading/parsed_record.h"

namespace haplospin {

// Flags of haploid samples are empty where all are diploid, as in ParsedRecord.
inline bool IsHaploid(const std::vector<bool>& is_haploid, size_t sample) {
  return !is_haploid.empty() && is_haploid[sample];
}

size_t CountHaplotypes(const std::vector<bool>& is_haploid, size_t num_samples);

size_t CountMissing(const ParsedRecord& record);

// `record` has a missing allele.
size_t FirstSampleWithMissing(const ParsedRecord& record, size_t num_samples);

// Makes these samples haploid, which keep their first allele, and all others diploid, whose one allele is repeated.
void SetPloidy(std::vector<bool> is_haploid, size_t num_samples, ParsedRecord& record);

// Makes samples whose alleles are all missing haploid if they are so in `is_haploid`, else diploid: callers write "."
// for both.
void SetPloidyWithoutAlleles(const std::vector<bool>& is_haploid, size_t num_samples, ParsedRecord& record);

// Finds which samples are haploid from several records.
class HaploidSamples {
 public:
  explicit HaploidSamples(size_t num_samples) : is_known_(num_samples), is_haploid_(num_samples) {}

  void Add(const ParsedRecord& record);
  bool IsComplete() const;

  // Empty if all are diploid. A sample without any allele so far is haploid if all others are.
  std::vector<bool> Take();

 private:
  std::vector<bool> is_known_, is_haploid_;  // [samples]
};

}  // namespace haplospin
