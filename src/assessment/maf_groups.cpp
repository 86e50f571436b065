#include "assessment/maf_groups.h"

#include <cmath>

namespace haplospin {

std::vector<MafGroup> MakeMafGroups(std::span<const double> edges) {
  std::vector<MafGroup> groups;
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    groups.push_back({.from = edges[i], .to = edges[i + 1], .includes_from = false});
  }
  for (const double from : {0.005, 0.01, 0.05, 0.0}) groups.push_back({.from = from});
  return groups;
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
