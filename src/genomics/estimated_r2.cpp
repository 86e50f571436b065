#include "genomics/estimated_r2.h"

#include <algorithm>
#include <cmath>

#include "genomics/dosage_sums.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

double EstimatedDosageR2(std::span<const float> haplotype_probabilities) {
  if (haplotype_probabilities.empty()) return 0;
  double sum = 0, sum_of_squares = 0;
  for (const float p : haplotype_probabilities) {
    sum += p;
    sum_of_squares += double{p} * p;
  }
  const auto n = static_cast<double>(haplotype_probabilities.size());
  const double mean = sum / n;
  const double true_variance = mean * (1 - mean);
  if (true_variance <= 0) return 0;
  return std::clamp((sum_of_squares / n - mean * mean) / true_variance, 0.0, 1.0);
}

std::optional<double> EmpiricalR2(std::span<const float> left_out_probabilities, std::span<const uint8_t> alleles) {
  HS_ASSERT(left_out_probabilities.size() == alleles.size());
  DosageSums sums;
  for (size_t h = 0; h < alleles.size(); ++h) {
    if (alleles[h] != kMissingAllele) sums.Add(left_out_probabilities[h], alleles[h]);
  }
  const double r2 = sums.PooledR2();
  return std::isnan(r2) ? std::nullopt : std::optional(r2);
}

}  // namespace haplospin
