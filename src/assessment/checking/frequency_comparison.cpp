#include "assessment/checking/frequency_comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "genomics/sites/site_name.h"

namespace haplospin {
namespace {

constexpr size_t kMaxOutliers = 20;
constexpr double kMinDifference = 0.2;
constexpr double kMinStandardErrors = 4;

double Ones(const std::vector<uint64_t>& words) {
  double ones = 0;
  for (const uint64_t word : words) ones += std::popcount(word);
  return ones;
}

size_t Bin(double frequency) {
  return std::min(static_cast<size_t>(frequency * FrequencyComparison::kBins), FrequencyComparison::kBins - 1);
}

bool IsOutlier(double study, double study_haplotypes, double panel, double panel_haplotypes) {
  const double pooled = (study * study_haplotypes + panel * panel_haplotypes) / (study_haplotypes + panel_haplotypes);
  const double standard_error = std::sqrt(pooled * (1 - pooled) * (1 / study_haplotypes + 1 / panel_haplotypes));
  const double difference = std::abs(study - panel);
  return difference > kMinDifference && difference > kMinStandardErrors * standard_error;
}

}  // namespace

void FrequencyComparer::Add(const std::string& contig, const Marker& marker, const StrandSite& site,
                            bool is_other_strand) {
  const double known = Ones(site.known);
  if (known == 0) return;
  const double study_share = Ones(site.study) / known;
  const double study = is_other_strand ? 1 - study_share : study_share;
  const auto haplotypes = static_cast<double>(site.panel_haplotypes);
  const double panel = Ones(site.panel) / haplotypes;
  ++comparison_.sites;
  sums_.Add(study, panel);
  ++comparison_.histogram[Bin(panel)][Bin(study)];
  if (!IsOutlier(study, known, panel, haplotypes)) return;
  ++comparison_.num_outliers;
  AddOutlier({SiteName(contig, marker), study, panel});
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

void FrequencyComparer::Sums::Add(double a, double b) {
  ++n;
  x += a;
  y += b;
  xx += a * a;
  yy += b * b;
  xy += a * b;
}

double FrequencyComparer::Sums::Correlation() const {
  const double variance = (n * xx - x * x) * (n * yy - y * y);
  return variance > 1e-12 ? (n * xy - x * y) / std::sqrt(variance) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace haplospin
