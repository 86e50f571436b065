// What an output has of the sites that are wanted (--sites-out-only).
#pragma once

#include <cstddef>
#include <string>

#include "genotypes/genomics/sites/wanted_sites.h"

namespace haplospin {

// How well the weights of a score are covered. The variance that a weight w gives to the score is 2 p (1 - p) w^2,
// where p is the frequency of the allele in the panel.
struct ScoreCoverage {
  size_t weights = 0, matched = 0;
  double matched_share = 0;  // of the sum of the absolute weights
  size_t imputed = 0;
  double imputed_share = 0;  // of the variance of the matched weights
  size_t with_r2 = 0;        // imputed ones
  double r2 = 0;             // their mean, by their variances
  size_t ambiguous = 0;      // matched A/T and C/G sites
};

ScoreCoverage MeasureCoverage(const WantedSites& sites);

// Returns a table, tab-separated with a header, of a row for each record that is a wanted site, in the order of the
// list, and of one for each site that is absent, with the reason. A weight of a score has one row.
std::string WantedSitesTsv(const WantedSites& sites);

// Tells how many sites were written and why others were not and, of a score, how well its weights are covered.
void TellOfWantedSites(const WantedSites& sites);

}  // namespace haplospin
