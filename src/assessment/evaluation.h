// How well an imputed file agrees with the truth: overall, per group of minor-allele frequency and per sample.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assessment/calibration.h"
#include "assessment/genotype_accuracy.h"
#include "assessment/sample_groups.h"
#include "assessment/truth_set.h"

namespace haplospin {

// Sites of a range of minor-allele frequency.
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

// Undefined measures are NaN. Correlations are of the dosage of the minor allele with its true count, unless said.
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

// Of a sample, or of samples together.
struct SampleAccuracy {
  std::string name;
  size_t genotypes = 0;  // scored
  double r2 = kUndefined;
  double mse = kUndefined;
  double concordance = kUndefined;
  double non_reference_concordance = kUndefined;
  double iqs = kUndefined;
  AccuracySums sums;  // what the measures are of
};

SampleAccuracy AccuracyOfSample(const std::string& name, const AccuracySums& sums);

// A site that was scored.
struct SiteAccuracy {
  size_t site = 0;   // of the truth
  DosageSums minor;  // of the minor allele
  double estimated_r2 = kUndefined;
};

// A typed site's leave-one-out accuracy by the file's own account (INFO ER2); it needs no truth.
struct EmpiricalAccuracy {
  std::string contig;
  int64_t position = 0;
  double r2 = kUndefined;
};

struct Evaluation {
  std::string name;
  bool has_posteriors = false;          // IQS is of GP; else of best guesses
  size_t missing_genotypes = 0;         // in sites that the file has; scored as the mean
  std::vector<GroupAccuracy> groups;    // as asked for
  std::vector<SampleAccuracy> samples;  // as in the truth
  std::vector<SiteAccuracy> sites;      // in the file's order, then those that it lacks
  std::vector<EmpiricalAccuracy> empirical;
  Calibration dosages;     // dosage and true count of ALT, both by allele
  Calibration posteriors;  // each of a genotype's posteriors; empty unless has_posteriors

  double MeanEmpiricalR2() const;  // NaN without any
};

// Throws InputError if the samples are not those of the truth, or no site to score is in the file.
Evaluation Evaluate(const TruthSet& truth, const std::string& name, const std::string& path,
                    std::span<const MafGroup> groups, int threads);

// The samples of each group together.
std::vector<SampleAccuracy> AccuracyOfGroups(const Evaluation& evaluation, const SampleGroups& groups);

}  // namespace haplospin
