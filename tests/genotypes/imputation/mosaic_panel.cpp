#include "genotypes/imputation/mosaic_panel.h"

#include <algorithm>

#include "genotypes/imputation/plan/window_plan.h"

namespace haplospin {

SampleTable HaploidSamples(const std::string& prefix, size_t count) {
  return MakeSamples(prefix, std::vector<int>(count, 1));
}

HaplotypePanel HaploidPanelOf(const Mosaic& mosaic) {
  return MakePanel(mosaic, HaploidSamples("R", mosaic.alleles.size()));
}

CopyingStates AllStates(const TypedPanel& panel, const ExcludedHaplotypes& excluded) {
  std::vector<HaplotypeMatch> matches;
  for (uint32_t h = 0; h < panel.num_haplotypes(); ++h) {
    if (std::ranges::find(excluded.span(), h) != excluded.span().end()) continue;
    matches.push_back({h, 0, static_cast<uint32_t>(panel.num_typed())});
  }
  CopyingStates states;
  states.Assign(panel.rows(), matches, matches.size(), excluded);
  return states;
}

std::vector<uint8_t> AllelesAt(const std::vector<uint8_t>& haplotype, std::span<const uint32_t> markers) {
  std::vector<uint8_t> alleles;
  for (const uint32_t m : markers) alleles.push_back(haplotype[m]);
  return alleles;
}

std::vector<std::vector<uint8_t>> Alleles(const SimulatedStudy& study) {
  std::vector<std::vector<uint8_t>> alleles;
  for (const GenotypeRow& row : study.rows) alleles.push_back(row.alleles);
  return alleles;
}

WindowDosages ImputeStudy(const HaplotypePanel& panel, const WindowStudy& study, MarkerRange wanted, Backend& backend,
                          const CopyingOptions& copying, WindowReport* report) {
  const GeneticMap map = GeneticMap::Uniform();
  const PanelWindow window(panel, map, study.typed(), wanted, copying.ForPanel(panel.num_haplotypes()));
  WindowState state(window, study, {0, panel.num_markers()});
  MakeWindowPlan({}, {.imputer = {.backend = &backend}}).Run(state);
  if (report != nullptr) *report = state.report;
  return *std::move(state.dosages);
}

}  // namespace haplospin
