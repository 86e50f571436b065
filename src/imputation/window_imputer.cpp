#include "imputation/window_imputer.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <memory>

#include "imputation/sample_imputer.h"

namespace haplospin {
namespace {

constexpr size_t kSamplesAtATime = 256;  // whose matches with the panel are searched together

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

using Workspaces = tbb::enumerable_thread_specific<std::unique_ptr<SampleImputer>>;

// Samples [begin, end), each by itself, on all threads.
void ImputeSamples(const WindowContext& context, const StateOptions& options, const WindowStudy& study, size_t begin,
                   size_t end, Workspaces& workspaces, WindowDosages& dosages) {
  const std::vector<uint32_t>& first_haplotype = study.samples->first_haplotype;
  const uint32_t first = first_haplotype[begin];
  std::vector<TargetHaplotype> targets;
  for (uint32_t h = first; h < first_haplotype[end]; ++h) targets.push_back(TargetOf(study, h));
  const std::vector<MatchTarget> searched(targets.begin(), targets.end());
  const StateSelection selection(context.array, searched, options);
  tbb::parallel_for(tbb::blocked_range<size_t>(begin, end, 1), [&](const tbb::blocked_range<size_t>& range) {
    std::unique_ptr<SampleImputer>& imputer = workspaces.local();
    if (!imputer) imputer = std::make_unique<SampleImputer>(context);
    for (size_t s = range.begin(); s < range.end(); ++s) {
      const size_t at = first_haplotype[s] - first;
      const std::span<const TargetHaplotype> of_sample(&targets[at], first_haplotype[s + 1] - first_haplotype[s]);
      imputer->Impute(of_sample, selection, at, first_haplotype[s], dosages);
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
  const WindowContext context{panel, array, model, populations, alleles, marker_features, sample_of, network};
  Workspaces workspaces;
  const size_t samples = study.samples->num_samples();
  for (size_t begin = 0; begin < samples; begin += kSamplesAtATime) {
    ImputeSamples(context, copying.states, study, begin, std::min(begin + kSamplesAtATime, samples), workspaces,
                  dosages);
  }
  return dosages;
}

}  // namespace haplospin
