#include "genotypes/assessment/genotype_accuracy.h"

#include <cmath>

#include "genotypes/variant_io/reading/dosage_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

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

void GroupTally::Add(const AccuracySums& site, bool is_missing, double estimated_r2) {
  sums_ += site;
  ++sites_;
  missing_sites_ += is_missing;
  if (site.minor.VarianceOfTruth() == 0) return;
  const double site_r2 = site.minor.SiteR2();
  r2_.Add(site_r2);
  iqs_.Add(site.posterior.Iqs());
  if (std::isnan(estimated_r2)) return;
  dr2_absolute_error_.Add(std::abs(estimated_r2 - site_r2));
  dr2_error_.Add(estimated_r2 - site_r2);
}

GroupAccuracy GroupTally::Accuracy() const {
  return {.sites = sites_,
          .varying_sites = r2_.count(),
          .missing_sites = missing_sites_,
          .r2 = sums_.minor.PooledR2(),
          .alt_r2 = sums_.alt.PooledR2(),
          .mean_r2 = r2_.value(),
          .mse = sums_.alt.MeanSquaredError(),
          .concordance = sums_.best_guess.Concordance(),
          .non_reference_concordance = sums_.best_guess.NonReferenceConcordance(),
          .iqs = iqs_.value(),
          .rated_sites = dr2_error_.count(),
          .dr2_mean_absolute_error = dr2_absolute_error_.value(),
          .dr2_mean_error = dr2_error_.value()};
}

}  // namespace haplospin
