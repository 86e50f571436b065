// Allele frequencies of a study against those of the panel.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "assessment/checking/ambiguous_strand.h"
#include "genomics/dosage_r2.h"
#include "haplospin/marker.h"

namespace haplospin {

struct FrequencyOutlier {
  std::string site;             // "contig:position REF>ALT", as in the panel's alleles
  double study = 0, panel = 0;  // frequency of the panel's ALT
};

// Frequencies of the panel's ALT in study and panel, at the sites whose alleles and strand are known.
struct FrequencyComparison {
  static constexpr size_t kBins = 20;
  size_t sites = 0;
  double correlation = 0;                  // NaN where either does not vary
  size_t num_outliers = 0;                 // sites where they differ by more than 0.2 and four standard errors
  std::vector<FrequencyOutlier> outliers;  // the largest differences, 20 at most
  std::array<std::array<size_t, kBins>, kBins> histogram{};  // [panel][study], from 0 to 1
};

class FrequencyComparer {
 public:
  // Adds a site whose alleles and strand are known; with `is_other_strand`, the study's REF is the panel's ALT.
  // `marker` has the panel's alleles.
  void Add(const std::string& contig, const Marker& marker, const StrandSite& site, bool is_other_strand);

  FrequencyComparison Result() const;

 private:
  void AddOutlier(FrequencyOutlier outlier);

  FrequencyComparison comparison_;
  DosageSums sums_;  // pairs of the study's and the panel's frequency
};

}  // namespace haplospin
