#include "genotypes/genomics/dosage_r2.h"

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A variance this small relative to the mean square is a rounding error of a constant.
constexpr double kRelativeRounding = 1e-13;

// Added to the product of standard deviations, so that a site of nearly constant dosages has r2 near 0, not noise.
constexpr double kSiteEpsilon = 1e-12;

struct Moments {
  double covariance, variance_x, variance_y;
};

double Variance(double n, double sum, double sum_of_squares) {
  const double mean = sum / n, mean_square = sum_of_squares / n;
  const double variance = mean_square - mean * mean;
  return variance > kRelativeRounding * mean_square ? variance : 0;
}

Moments ComputeMoments(const DosageSums& s) {
  return {s.xy / s.n - (s.x / s.n) * (s.y / s.n), Variance(s.n, s.x, s.xx), Variance(s.n, s.y, s.yy)};
}

}  // namespace

void DosageSums::Add(double imputed, double truth) {
  n += 1;
  x += imputed;
  y += truth;
  xx += imputed * imputed;
  yy += truth * truth;
  xy += imputed * truth;
  squared_error += (imputed - truth) * (imputed - truth);
}

DosageSums& DosageSums::operator+=(const DosageSums& other) {
  n += other.n;
  x += other.x;
  y += other.y;
  xx += other.xx;
  yy += other.yy;
  xy += other.xy;
  squared_error += other.squared_error;
  return *this;
}

double DosageSums::VarianceOfTruth() const { return n > 0 ? Variance(n, y, yy) : 0; }

double DosageSums::MeanSquaredError() const { return n > 0 ? squared_error / n : kUndefined; }

double DosageSums::Correlation() const {
  if (n == 0) return kUndefined;
  const Moments m = ComputeMoments(*this);
  return m.variance_x == 0 || m.variance_y == 0 ? kUndefined : m.covariance / std::sqrt(m.variance_x * m.variance_y);
}

double DosageSums::PooledR2() const {
  if (n == 0) return kUndefined;
  const Moments m = ComputeMoments(*this);
  if (m.variance_x == 0 || m.variance_y == 0) return kUndefined;
  return m.covariance * m.covariance / (m.variance_x * m.variance_y);
}

double DosageSums::SiteR2() const {
  if (n == 0) return 0;
  const Moments m = ComputeMoments(*this);
  const double r = m.covariance / (std::sqrt(m.variance_x * m.variance_y) + kSiteEpsilon);
  return m.variance_x == 0 ? 0 : r * r;
}

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
