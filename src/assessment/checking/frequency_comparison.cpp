#include "assessment/checking/frequency_comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "genomics/sites/allele_relation.h"

namespace haplospin {
namespace {

constexpr size_t kMaxOutliers = 20;
constexpr double kMinDifference = 0.2;
constexpr double kMinStandardErrors = 4;

size_t Bin(double frequency) {
  return std::min(static_cast<size_t>(frequency * FrequencyComparison::kBins), FrequencyComparison::kBins - 1);
}

bool IsOutlier(const AlleleFrequency& study, const AlleleFrequency& panel) {
  const double pooled =
      (study.value * study.haplotypes + panel.value * panel.haplotypes) / (study.haplotypes + panel.haplotypes);
  const double standard_error = std::sqrt(pooled * (1 - pooled) * (1 / study.haplotypes + 1 / panel.haplotypes));
  const double difference = std::abs(study.value - panel.value);
  return difference > kMinDifference && difference > kMinStandardErrors * standard_error;
}

}  // namespace

void FrequencyComparer::Add(const std::string& contig, const Marker& marker, const StrandSite& site,
                            bool is_other_strand) {
  const AlleleFrequency panel = site.PanelFrequency();
  AlleleFrequency study = site.StudyFrequency();
  if (study.haplotypes == 0) return;
  if (is_other_strand) study.value = 1 - study.value;
  ++comparison_.sites;
  sums_.Add(study.value, panel.value);
  ++comparison_.histogram[Bin(panel.value)][Bin(study.value)];
  if (!IsOutlier(study, panel)) return;
  ++comparison_.num_outliers;
  AddOutlier({SiteName(contig, marker), study.value, panel.value});
}

FrequencyComparison FrequencyComparer::Result() const {
  FrequencyComparison result = comparison_;
  result.correlation = sums_.Correlation();
  return result;
}

// Keeps the largest differences, in descending order.
void FrequencyComparer::AddOutlier(FrequencyOutlier outlier) {
  const auto difference = [](const FrequencyOutlier& o) { return -std::abs(o.study - o.panel); };
  std::vector<FrequencyOutlier>& outliers = comparison_.outliers;
  outliers.insert(std::ranges::upper_bound(outliers, difference(outlier), {}, difference), std::move(outlier));
  if (outliers.size() > kMaxOutliers) outliers.pop_back();
}

}  // namespace haplospin
