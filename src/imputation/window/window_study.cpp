#include "imputation/window/window_study.h"

#include <algorithm>

#include "genomics/sites/panel_alignment.h"

namespace haplospin {

WindowStudy TypedSites(const StudyGenotypes& study, std::span<const uint32_t> panel_marker) {
  std::vector<size_t> order;
  for (size_t s = 0; s < panel_marker.size(); ++s) {
    if (IsTyped(panel_marker[s])) order.push_back(s);
  }
  std::ranges::sort(order, {}, [&](size_t s) { return panel_marker[s]; });
  WindowStudy typed{.samples = &study.samples, .typed = {}, .rows = {}};
  for (size_t s : order) {
    typed.typed.push_back(panel_marker[s]);
    typed.rows.push_back(&study.alleles[s]);
    typed.unphased.push_back(study.unphased.empty() ? nullptr : &study.unphased[s]);
    typed.phase_sets.push_back(study.phase_sets.empty() ? nullptr : &study.phase_sets[s]);
  }
  return typed;
}

}  // namespace haplospin
