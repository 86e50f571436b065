#include "imputation/window_imputer.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <memory>

#include "imputation/copying/state_selection.h"
#include "imputation/phasing/study_phase.h"
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

// The typed markers in `range`.
std::vector<uint32_t> TypedWithin(const WindowStudy& study, MarkerRange range) {
  std::vector<uint32_t> typed;
  for (uint32_t m : study.typed) {
    if (range.Contains(m)) typed.push_back(m);
  }
  return typed;
}

using Workspaces = tbb::enumerable_thread_specific<std::unique_ptr<SampleImputer>>;

void WritePhase(const WindowAlleles& alleles, const SampleTargets& targets, size_t sample, WindowDosages& dosages) {
  if (targets.phase_probability.empty()) return;
  for (size_t k = 0; k < dosages.left_out_markers.size(); ++k) {
    dosages.phase.Set(sample, k, targets.phase_probability[alleles.typed_index(dosages.left_out_markers[k])]);
  }
}

// Samples from `first_sample` on, each by itself, on all threads.
void ImputeSamples(const WindowContext& context, const WindowStudy& study, const std::vector<SampleTargets>& samples,
                   size_t first_sample, Workspaces& workspaces, WindowDosages& dosages) {
  std::vector<MatchTarget> targets;
  std::vector<size_t> first_target;
  for (const SampleTargets& sample : samples) {
    first_target.push_back(targets.size());
    for (const TargetHaplotype& haplotype : sample.most_probable()) targets.emplace_back(haplotype);
  }
  const StateSelection selection(context.array, targets, context.copying.states);
  const std::vector<uint32_t>& first_haplotype = study.samples->first_haplotype;
  tbb::parallel_for(tbb::blocked_range<size_t>(0, samples.size(), 1), [&](const tbb::blocked_range<size_t>& range) {
    std::unique_ptr<SampleImputer>& imputer = workspaces.local();
    if (!imputer) imputer = std::make_unique<SampleImputer>(context);
    for (size_t s = range.begin(); s < range.end(); ++s) {
      imputer->Impute(samples[s], selection, first_target[s], first_haplotype[first_sample + s], dosages);
      WritePhase(context.alleles, samples[s], first_sample + s, dosages);
      if (study.on_sample) study.on_sample();
    }
  });
}

}  // namespace

WindowDosages ImputeWindow(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                           MarkerRange wanted, NetworkBackend& network, const CopyingOptions& copying,
                           const PhasingOptions& phasing) {
  const TypedPanel array(panel, study.typed, map);
  const CopyingModel model = EstimateCopyingModel(array, copying);
  const std::vector<uint32_t> sample_of = panel.samples().SampleOfHaplotype();
  const PanelPopulations populations(panel, sample_of);
  const WindowAlleles alleles(panel, array, wanted.begin, wanted.end);
  const std::vector<MarkerFeatures> marker_features = FeaturesOfMarkers(panel, array, alleles, map);
  WindowDosages dosages(wanted, study.samples->num_haplotypes(), TypedWithin(study, wanted));
  const WindowContext context{panel, array, model, populations, alleles, marker_features, sample_of, network, copying};
  const PhasingContext phasing_context{panel, map, &array, &model, &populations, sample_of, copying, phasing};
  StudyPhaser phaser(phasing_context, study);
  Workspaces workspaces;
  const size_t samples = study.samples->num_samples();
  if (!study.unphased.empty()) dosages.phase = ProbabilityTable(samples, dosages.left_out_markers.size());
  for (size_t begin = 0; begin < samples; begin += kSamplesAtATime) {
    const size_t end = std::min(begin + kSamplesAtATime, samples);
    ImputeSamples(context, study, phaser.FindTargets(begin, end), begin, workspaces, dosages);
  }
  return dosages;
}

}  // namespace haplospin
