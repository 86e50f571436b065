#include "genotypes/imputation/stages/phasing/marker_facts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

double MeanGap(const std::vector<double>& centimorgans) {
  const auto gaps = static_cast<double>(std::max<size_t>(centimorgans.size() - 1, 1));
  return (centimorgans.back() - centimorgans.front()) / gaps;
}

}  // namespace

MarkerFacts MeasureMarkers(const PanelWindow& window, const WindowStudy& study, const SampleGroup& group,
                           bool imputes_missing) {
  MarkerFacts facts{.gap = MeanGap(TypedCentimorgans(window))};
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

std::vector<double> TypedCentimorgans(const PanelWindow& window) {
  std::vector<double> centimorgans;
  centimorgans.reserve(window.typed_markers().size());
  for (const uint32_t m : window.typed_markers()) {
    centimorgans.push_back(window.map().Centimorgans(window.panel().marker(m).position));
  }
  return centimorgans;
}

}  // namespace haplospin
