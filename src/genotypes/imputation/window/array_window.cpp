#include "genotypes/imputation/window/array_window.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "genotypes/imputation/window/panel_window.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A site's alleles minus its frequency; those that are missing count as the mean.
std::vector<float> Centered(const std::vector<uint8_t>& alleles, float frequency) {
  std::vector<float> centered(alleles.size());
  for (size_t h = 0; h < alleles.size(); ++h) {
    centered[h] = alleles[h] == kMissingAllele ? 0 : static_cast<float>(alleles[h]) - frequency;
  }
  return centered;
}

}  // namespace

void ArrayWindow::Correct(const HaplotypePanel& panel, MarkerRange markers, const WindowStudy& study,
                          std::span<float> alt) const {
  constexpr size_t kHalf = kErrorSites / 2;
  if (alt.empty()) return;
  const size_t n = alt.size() / markers.size();
  const size_t before_first = sites_before[markers.begin - first];
  const size_t begin_site = before_first - std::min(before_first, kHalf);
  const size_t end_site = std::min<size_t>(sites_before[markers.end - 1 - first] + kHalf, sites.size());
  std::vector<std::vector<float>> centered(end_site - begin_site);  // empty where the study does not have the site
  for (size_t j = begin_site; j < end_site; ++j) {
    if (sites[j] == kAbsent) continue;
    const auto typed = static_cast<size_t>(std::ranges::lower_bound(study.typed(), sites[j]) - study.typed().begin());
    centered[j - begin_site] = Centered(study.alleles(typed), AltFrequency(panel, sites[j]));
  }
  tbb::parallel_for(markers.begin, markers.end, [&](size_t m) {
    const std::optional<ErrorFunction>& function = error[m - first];
    if (!function) return;
    float* p = &alt[(m - markers.begin) * n];
    std::vector<float> errors(n);
    const float frequency = AltFrequency(panel, m);
    for (size_t h = 0; h < n; ++h) errors[h] = function->probability_factor * (p[h] - frequency);
    for (size_t k = 0; k < kErrorSites; ++k) {
      const size_t j = sites_before[m - first] + k;  // the site, plus kHalf
      if (j < begin_site + kHalf || j - kHalf >= end_site) continue;
      const std::vector<float>& x = centered[j - kHalf - begin_site];
      for (size_t h = 0; h < x.size(); ++h) errors[h] += function->site_factors[k] * x[h];
    }
    for (size_t h = 0; h < n; ++h) p[h] = std::clamp(p[h] + ErrorWeight(p[h]) * errors[h], 0.0f, 1.0f);
  });
}

}  // namespace haplospin
