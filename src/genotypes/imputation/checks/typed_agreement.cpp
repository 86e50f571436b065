#include "genotypes/imputation/checks/typed_agreement.h"

#include <algorithm>
#include <cmath>

#include "genotypes/genomics/dosage_r2.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Among 1,900 common markers of six arrays and sets of random sites, none had a correlation below 0.1.
constexpr double kMinCorrelation = 0.1;
constexpr double kMinMinorAlleles = 10, kMinFrequency = 0.05;  // of a common marker
constexpr double kMinAlleles = 40;
constexpr double kMaxDifference = 0.5;  // of frequencies

// Correlations tell something where so many markers have such a mean r2.
constexpr size_t kMinCompared = 20;
constexpr double kMinMeanR2 = 0.5;

}  // namespace

void TypedAgreement::Add(int64_t position, std::span<const float> left_out, std::span<const uint8_t> alleles) {
  DosageSums sums;
  for (size_t h = 0; h < alleles.size(); ++h) {
    if (alleles[h] != kMissingAllele) sums.Add(left_out[h], alleles[h]);
  }
  if (sums.n < kMinAlleles) return;
  if (std::abs(sums.x - sums.y) > kMaxDifference * sums.n) {
    if (elsewhere++ == 0) first_elsewhere = position;
    return;
  }
  const double minor = std::min(sums.y, sums.n - sums.y), correlation = sums.Correlation();
  if (std::isnan(correlation) || minor < std::max(kMinMinorAlleles, kMinFrequency * sums.n)) return;
  ++compared;
  r2 += correlation * correlation;
  if (correlation < kMinCorrelation && uncorrelated++ == 0) first_uncorrelated = position;
}

TypedAgreement& TypedAgreement::operator+=(const TypedAgreement& other) {
  if (uncorrelated == 0) first_uncorrelated = other.first_uncorrelated;
  if (elsewhere == 0) first_elsewhere = other.first_elsewhere;
  compared += other.compared;
  r2 += other.r2;
  uncorrelated += other.uncorrelated;
  elsewhere += other.elsewhere;
  return *this;
}

int64_t TypedAgreement::FirstContradicted() const {
  if (elsewhere == 0) return first_uncorrelated;
  return uncorrelated > 0 && TellsCorrelation() ? std::min(first_uncorrelated, first_elsewhere) : first_elsewhere;
}

bool TypedAgreement::TellsCorrelation() const {
  return compared >= kMinCompared && r2 >= kMinMeanR2 * static_cast<double>(compared);
}

}  // namespace haplospin
