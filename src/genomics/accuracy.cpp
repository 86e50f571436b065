#include "haplospin/genomics/accuracy.h"

#include <algorithm>

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

}  // namespace haplospin
