#include "assessment/genotype_accuracy.h"

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A variance this small beside the mean square is the rounding of a constant.
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

Moments MomentsOf(const DosageSums& s) {
  return {s.xy / s.n - (s.x / s.n) * (s.y / s.n), Variance(s.n, s.x, s.xx), Variance(s.n, s.y, s.yy)};
}

double Total(const GenotypeTable& table) {
  double total = 0;
  for (const auto& row : table.counts) total += row[0] + row[1] + row[2];
  return total;
}

double Agreeing(const GenotypeTable& table) { return table.counts[0][0] + table.counts[1][1] + table.counts[2][2]; }

void AddGenotype(const SiteGenotypes& site, size_t sample, AccuracySums& sums) {
  const int truth = site.truth[sample], ploidy = site.ploidy[sample];
  const double dosage = site.dosage[sample];
  sums.alt.Add(dosage, truth);
  sums.minor.Add(site.minor_is_ref ? ploidy - dosage : dosage, site.minor_is_ref ? ploidy - truth : truth);
  const auto row = static_cast<size_t>(ploidy == 1 ? 2 * truth : truth);
  const auto guess = static_cast<size_t>(site.best_guess[sample]);
  sums.best_guess.counts[row][guess] += 1;
  if (site.posteriors.empty()) {
    sums.posterior.counts[row][guess] += 1;
  } else {
    for (size_t g = 0; g < 3; ++g) sums.posterior.counts[row][g] += site.posteriors[3 * sample + g];
  }
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

double DosageSums::PooledR2() const {
  if (n == 0) return kUndefined;
  const Moments m = MomentsOf(*this);
  if (m.variance_x == 0 || m.variance_y == 0) return kUndefined;
  return m.covariance * m.covariance / (m.variance_x * m.variance_y);
}

double DosageSums::SiteR2() const {
  if (n == 0) return 0;
  const Moments m = MomentsOf(*this);
  const double r = m.covariance / (std::sqrt(m.variance_x * m.variance_y) + kSiteEpsilon);
  return m.variance_x == 0 ? 0 : r * r;
}

GenotypeTable& GenotypeTable::operator+=(const GenotypeTable& other) {
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 3; ++column) counts[row][column] += other.counts[row][column];
  }
  return *this;
}

double GenotypeTable::Concordance() const {
  const double total = Total(*this);
  return total > 0 ? Agreeing(*this) / total : kUndefined;
}

double GenotypeTable::NonReferenceConcordance() const {
  const double non_reference = Total(*this) - counts[0][0];
  return non_reference > 0 ? (counts[1][1] + counts[2][2]) / non_reference : kUndefined;
}

double GenotypeTable::Iqs() const {
  const double total = Total(*this);
  if (total == 0) return kUndefined;
  double chance = 0;
  for (size_t g = 0; g < 3; ++g) {
    const double truth = counts[g][0] + counts[g][1] + counts[g][2];
    const double imputed = counts[0][g] + counts[1][g] + counts[2][g];
    chance += (truth / total) * (imputed / total);
  }
  if (chance > 1 - 1e-9) return kUndefined;
  return (Agreeing(*this) / total - chance) / (1 - chance);
}

AccuracySums& AccuracySums::operator+=(const AccuracySums& other) {
  minor += other.minor;
  alt += other.alt;
  best_guess += other.best_guess;
  posterior += other.posterior;
  return *this;
}

AccuracySums MeasureSite(const SiteGenotypes& site, std::span<AccuracySums> per_sample) {
  HS_ASSERT(site.truth.size() == per_sample.size() && site.dosage.size() == per_sample.size());
  AccuracySums sums;
  for (size_t s = 0; s < site.truth.size(); ++s) {
    if (site.truth[s] == kMissingGenotype) continue;
    AddGenotype(site, s, sums);
    AddGenotype(site, s, per_sample[s]);
  }
  return sums;
}

}  // namespace haplospin
