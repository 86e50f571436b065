#include "genotypes/imputation/window/imputed_markers.h"

#include <algorithm>
#include <cstdint>

namespace haplospin {
namespace {

std::vector<MarkerFeatures> ComputeFeatures(const PanelWindow& window, const WindowRegression& regression) {
  const HaplotypePanel& panel = window.panel();
  const std::vector<uint32_t>& typed = window.typed_markers();
  const MarkerRange wanted = window.wanted();
  std::vector<MarkerFeatures> features;
  features.reserve(wanted.size());
  size_t interval = 0;
  for (size_t m = wanted.begin; m < wanted.end; ++m) {
    while (interval < typed.size() && typed[interval] < m) ++interval;
    const size_t alt = panel.alt_count(m);
    features.push_back(ComputeMarkerFeatures(std::min(alt, panel.num_haplotypes() - alt), panel.num_haplotypes(),
                                             FindPlace(panel, m, window.typed_panel(), interval, window.map())));
    features.back().regression_r2 = regression.r2(m);
  }
  return features;
}

}  // namespace

ImputedMarkers::ImputedMarkers(const PanelWindow& window)
    : alleles(window.panel(), window.typed_panel(), window.wanted().begin, window.wanted().end),
      regression(window.panel(), window.typed_panel(), window.wanted().begin, window.wanted().end),
      features(ComputeFeatures(window, regression)) {}

}  // namespace haplospin
