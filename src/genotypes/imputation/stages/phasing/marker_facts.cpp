#include "genotypes/imputation/stages/phasing/marker_facts.h"

#include <cstddef>

#include "haplospin/study_genotypes.h"

namespace haplospin {

MarkerFacts MeasureMarkers(const PanelWindow& window, const WindowStudy& study, const SampleGroup& group,
                           bool imputes_missing) {
  MarkerFacts facts{.gap = MeanGap(window, window.typed_markers())};
  if (!imputes_missing) return facts;
  size_t missing = 0;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    for (const size_t s : group.index) {
      if (!HasMissing(study.Genotype(j, s))) continue;
      facts.has_imputed_alleles = true;
      if (study.row(j).Likelihoods(s).IsFlat()) missing += study.samples().ploidy(s);
    }
  }
  const std::vector<uint32_t>& first = study.samples().first_haplotype;
  const size_t alleles = (first[group.range.end] - first[group.range.begin]) * study.num_typed();
  if (alleles > 0) facts.missing_share = static_cast<double>(missing) / static_cast<double>(alleles);
  return facts;
}

double MeanGap(const PanelWindow& window, std::span<const uint32_t> markers) {
  if (markers.size() < 2) return 0;
  const auto place = [&](uint32_t m) { return window.map().Centimorgans(window.panel().marker(m).position); };
  return (place(markers.back()) - place(markers.front())) / static_cast<double>(markers.size() - 1);
}

std::vector<double> TypedCentimorgans(const PanelWindow& window) {
  std::vector<double> centimorgans;
  centimorgans.reserve(window.typed_markers().size());
  for (const uint32_t m : window.typed_markers()) {
    centimorgans.push_back(window.map().Centimorgans(window.panel().marker(m).position));
  }
  return centimorgans;
}

}  // namespace haplospin
