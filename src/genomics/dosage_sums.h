// The agreement of imputed dosages with true allele counts: sums, and the r2 that follows from them.
#pragma once

#include <limits>

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

  // PooledR2() of a single site; 0 if the dosages are constant.
  double SiteR2() const;
};

}  // namespace haplospin
