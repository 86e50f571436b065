#include "imputation/window_imputer.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <memory>

#include "imputation/sample_imputer.h"

namespace haplospin {
namespace {

std::vector<MarkerFeatures> FeaturesOfMarkers(const HaplotypePanel& panel, const TypedPanel& array,
                                              const WindowAlleles& alleles, const GeneticMap& map) {
  std::vector<MarkerFeatures> features(alleles.end() - alleles.begin());
  size_t interval = 0;
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    while (interval < array.num_typed() && array.typed()[interval] < m) ++interval;
    const size_t alt = panel.alt_count(m);
    features[m - alleles.begin()] =
        ComputeMarkerFeatures(std::min(alt, panel.num_haplotypes() - alt), panel.num_haplotypes(),
                              CentimorgansToTyped(panel, m, array, interval, map));
  }
  return features;
}

TargetHaplotype TargetOf(const WindowStudy& study, size_t haplotype) {
  std::vector<uint8_t> alleles(study.typed.size());
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = (*study.rows[j])[haplotype];
  return TargetHaplotype(std::move(alleles));
}

// The typed markers in `range`.
std::vector<uint32_t> TypedWithin(const WindowStudy& study, MarkerRange range) {
  std::vector<uint32_t> typed;
  for (uint32_t m : study.typed) {
    if (range.Contains(m)) typed.push_back(m);
  }
  return typed;
}

// Every sample by itself, on all threads.
void ImputeSamples(const WindowContext& context, const WindowStudy& study, WindowDosages& dosages) {
  tbb::enumerable_thread_specific<std::unique_ptr<SampleImputer>> workspaces;
  const tbb::blocked_range<size_t> samples(0, study.samples->num_samples(), 1);
  tbb::parallel_for(samples, [&](const tbb::blocked_range<size_t>& range) {
    std::unique_ptr<SampleImputer>& imputer = workspaces.local();
    if (!imputer) imputer = std::make_unique<SampleImputer>(context);
    for (size_t s = range.begin(); s < range.end(); ++s) {
      const uint32_t first = study.samples->first_haplotype[s];
      std::vector<TargetHaplotype> targets;
      for (uint32_t h = first; h < study.samples->first_haplotype[s + 1]; ++h) targets.push_back(TargetOf(study, h));
      imputer->Impute(targets, first, dosages);
      if (study.on_sample) study.on_sample();
    }
  });
}

}  // namespace

WindowDosages ImputeWindow(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                           MarkerRange wanted, NetworkBackend& network, const CopyingOptions& copying) {
  const TypedPanel array(panel, study.typed, map);
  const CopyingModel model = EstimateCopyingModel(array, copying);
  const std::vector<uint32_t> sample_of = panel.samples().SampleOfHaplotype();
  const PanelPopulations populations(panel, sample_of);
  const WindowAlleles alleles(panel, array, wanted.begin, wanted.end);
  const std::vector<MarkerFeatures> marker_features = FeaturesOfMarkers(panel, array, alleles, map);
  WindowDosages dosages(wanted, study.samples->num_haplotypes(), TypedWithin(study, wanted));
  ImputeSamples({panel, array, model, populations, alleles, marker_features, sample_of, network}, study, dosages);
  return dosages;
}

}  // namespace haplospin
