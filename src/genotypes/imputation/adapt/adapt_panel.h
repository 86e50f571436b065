// Measures on a panel's own samples how accurately its markers are imputed from the sites of an array, and what their
// errors depend on, and keeps that in the panel file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "genotypes/genomics/sites/wanted_sites.h"
#include "genotypes/imputation/plan/window_plan.h"

namespace haplospin {

struct AdaptJob {
  std::string panel;                   // panel file
  std::string array;                   // its name in the panel file, and in messages
  std::shared_ptr<WantedSites> sites;  // of the array; of those without alleles, all markers at the position
  std::string map;                     // genetic map; empty for 1 cM per Mb
  std::string out;
};

struct AdaptCounts {
  static constexpr double kMinMaf = 0.01;

  size_t samples = 0;  // that were imputed
  size_t typed = 0;
  size_t imputed = 0;
  size_t common = 0;   // imputed markers with a MAF of at least kMinMaf in the panel
  double mean_r2 = 0;  // of these
  uint64_t bytes = 0;  // of the file, beyond the panel's
};

inline constexpr size_t kMinSamplesToAdapt = 20;

// Imputes a tenth of the panel's samples (of at most 2,500, evenly spaced) from all others, ten times, so that each
// sample is imputed once. The r2 of a marker is the squared correlation of their alleles and the imputed probabilities,
// shrunk towards DR2 where there are few carriers.
// The result does not depend on the number of threads. Throws InputError if the panel is not a panel file, has fewer
// than kMinSamplesToAdapt samples, or lacks the sites.
AdaptCounts AdaptPanel(const AdaptJob& job, const WindowPlan& plan);

}  // namespace haplospin
