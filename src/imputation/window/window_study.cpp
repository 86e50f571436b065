#include "imputation/window/window_study.h"

#include <algorithm>

#include "genomics/sites/panel_alignment.h"

namespace haplospin {

StudyRow RowOf(const StudyGenotypes& study, size_t s) {
  return {.alleles = &study.alleles[s],
          .unphased = study.unphased.empty() ? nullptr : &study.unphased[s],
          .phase_sets = study.phase_sets.empty() ? nullptr : &study.phase_sets[s]};
}

WindowStudy TypedSites(const SampleTable& samples, std::span<const uint32_t> panel_marker,
                       const std::function<StudyRow(size_t)>& row) {
  std::vector<size_t> order;
  for (size_t s = 0; s < panel_marker.size(); ++s) {
    if (IsTyped(panel_marker[s])) order.push_back(s);
  }
  std::ranges::sort(order, {}, [&](size_t s) { return panel_marker[s]; });
  WindowStudy window{.samples = &samples, .typed = {}, .rows = {}};
  for (size_t s : order) {
    const StudyRow genotypes = row(s);
    window.typed.push_back(panel_marker[s]);
    window.rows.push_back(genotypes.alleles);
    window.unphased.push_back(genotypes.unphased);
    window.phase_sets.push_back(genotypes.phase_sets);
  }
  return window;
}

}  // namespace haplospin
