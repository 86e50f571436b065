// The accuracy of imputed dosages: from true allele counts, or from the dosages alone.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace haplospin {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// Sums over pairs of an imputed dosage x and a true allele count y, or of other numbers to be correlated.
struct DosageSums {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0, squared_error = 0;

  void Add(double imputed, double truth);
  DosageSums& operator+=(const DosageSums& other);
  double VarianceOfTruth() const;
  double MeanSquaredError() const;  // kUndefined without pairs

  // Pearson correlation over all pairs; kUndefined where either side is constant.
  double Correlation() const;

  // Squared Pearson correlation over all pairs; kUndefined where either side is constant.
  double PooledR2() const;

  // Squared Pearson correlation of a single site; 0 if the dosages are constant.
  double SiteR2() const;
};

// DR2: the squared correlation between the true ALT allele of a haplotype and its estimated probability p, expected if
// the probabilities are right: Var(p) / Var(true allele) = (mean(p^2) - mean(p)^2) / (mean(p) (1 - mean(p))), over
// haplotypes. 0 where the denominator is 0, or there is no haplotype. (Beagle's DR2, Browning and Browning 2009, AJHG
// 84:210, appendix 1, for phased probabilities.)
double EstimatedDosageR2(std::span<const float> haplotype_probabilities);

// ER2: the squared correlation of a typed marker's alleles with the ALT probabilities that they are imputed as when
// left out one by one, over the haplotypes whose allele is not missing. Nothing where either does not vary. (Minimac's
// ER2.)
std::optional<double> EmpiricalR2(std::span<const float> left_out_probabilities, std::span<const uint8_t> alleles);

}  // namespace haplospin
