// Accuracy of the sites of a range of minor-allele frequency.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assessment/genotype_accuracy.h"
#include "assessment/mean.h"

namespace haplospin {

// A range of minor-allele frequency.
struct MafGroup {
  double from = 0;
  double to = 0.5;
  bool includes_from = true;  // bins are (from, to], so that they do not overlap; the others [from, to]

  bool Contains(double maf) const { return (includes_from ? maf >= from : maf > from) && maf <= to; }
};

// The bins of 0 to 0.5 % in ten steps that published comparisons use.
inline constexpr double kMafBinEdges[] = {0, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5};

// Bins between the edges, then MAF >= 0.5 %, >= 1 %, >= 5 %, and all sites.
std::vector<MafGroup> MakeMafGroups(std::span<const double> edges);

// Undefined measures are NaN. Correlations are between the dosage of the minor allele and its true count, unless stated
// otherwise.
struct GroupAccuracy {
  size_t sites = 0;
  size_t varying_sites = 0;     // whose true genotypes differ between samples: those of mean_r2 and iqs
  size_t missing_sites = 0;     // not in the imputed file; scored as the mean
  double r2 = kUndefined;       // squared Pearson correlation, genotypes of all sites pooled
  double alt_r2 = kUndefined;   // the same of the ALT allele, as in the SPIN paper
  double mean_r2 = kUndefined;  // mean over varying sites of the site's own; 0 where the imputed dosage is constant
  double mse = kUndefined;      // mean squared error of the dosage
  double concordance = kUndefined;
  double non_reference_concordance = kUndefined;
  double iqs = kUndefined;                      // mean over varying sites
  size_t rated_sites = 0;                       // varying ones that come with an estimate of their r2 (DR2)
  double dr2_mean_absolute_error = kUndefined;  // of the estimate, against the site's r2
  double dr2_mean_error = kUndefined;           // above 0: the estimates are too high
};

// Accumulates the measures of a group of sites.
class GroupTally {
 public:
  // The sums are those of a site; `estimated_r2` (DR2) may be NaN.
  void Add(const AccuracySums& site, bool is_missing, double estimated_r2);

  GroupAccuracy Accuracy() const;

 private:
  AccuracySums sums_;
  size_t sites_ = 0, missing_sites_ = 0;
  Mean r2_, iqs_, dr2_absolute_error_, dr2_error_;
};

}  // namespace haplospin
