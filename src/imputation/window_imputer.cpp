#include "imputation/window_imputer.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "imputation/copying/state_selection.h"
#include "imputation/phasing/study_phase.h"
#include "imputation/samples/sample_group.h"

namespace haplospin {
namespace {

constexpr double kPhasingWork = 0.6;  // of the work on a sample that is not phased

std::vector<MarkerFeatures> FeaturesOfMarkers(const HaplotypePanel& panel, const TypedPanel& array,
                                              const WindowAlleles& alleles, const WindowRegression& regression,
                                              const GeneticMap& map) {
  std::vector<MarkerFeatures> features(alleles.end() - alleles.begin());
  size_t interval = 0;
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    while (interval < array.num_typed() && array.typed()[interval] < m) ++interval;
    const size_t alt = panel.alt_count(m);
    features[m - alleles.begin()] =
        ComputeMarkerFeatures(std::min(alt, panel.num_haplotypes() - alt), panel.num_haplotypes(),
                              CentimorgansToTyped(panel, m, array, interval, map));
    features[m - alleles.begin()].regression_r2 = regression.r2(m);
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

void WritePhase(const WindowAlleles& alleles, const SampleTargets& targets, size_t sample, WindowDosages& dosages) {
  if (targets.phase_probability.empty()) return;
  for (size_t k = 0; k < dosages.left_out_markers.size(); ++k) {
    dosages.phase.Set(sample, k, targets.phase_probability[alleles.typed_index(dosages.left_out_markers[k])]);
  }
}

// Samples from `begin` on: their haplotypes in the order of their most probable phase, from `first_selected` on in a
// selection of states.
struct SampleBatch {
  SampleBatch(std::vector<SampleTargets> targets_of_samples, size_t begin, size_t first)
      : first_sample(begin), first_selected(first), samples(std::move(targets_of_samples)) {
    for (const SampleTargets& sample : samples) {
      selected.push_back(first_selected + haplotypes.size());
      for (const TargetHaplotype& haplotype : sample.most_probable()) haplotypes.push_back(&haplotype);
    }
  }

  size_t first_sample;
  size_t first_selected;
  std::vector<SampleTargets> samples;
  std::vector<const TargetHaplotype*> haplotypes;
  std::vector<size_t> selected;  // the first haplotype of each sample
};

// A search sorts the panel, whatever the number of targets: in a large panel, it serves several batches and the panel's
// sample. In a small one, where sorting takes little, fewer matches are in memory at the same time.
constexpr size_t kLargePanel = 1 << 16;  // haplotypes

size_t BatchesOfSearch(size_t panel_haplotypes) {
  constexpr size_t kMaxBatches = 4;
  return std::clamp<size_t>(panel_haplotypes / kLargePanel, 1, kMaxBatches);
}

// `targets`, and after them the haplotypes of the batches.
StateSelection SelectStates(const TypedPanel& array, std::vector<MatchTarget> targets,
                            const std::vector<SampleBatch>& batches, const StateOptions& options, StageTimes& times) {
  const StageTimer timer(times.states, Threads());
  for (const SampleBatch& batch : batches) {
    for (const TargetHaplotype* haplotype : batch.haplotypes) targets.emplace_back(*haplotype);
  }
  return {array, targets, options};
}

// Compares evenly spaced haplotypes of the batch with the panel; the mismatch probability of `model` becomes theirs.
void FitModel(const WindowContext& context, const PanelCopying& copying, const SampleBatch& batch,
              const StateSelection& selection, CopyingModel& model, StudyFit& total) {
  std::vector<size_t> selected = HaplotypesToFit(batch.haplotypes.size());
  std::vector<const TargetHaplotype*> haplotypes;
  haplotypes.reserve(selected.size());
  for (size_t& h : selected) {
    haplotypes.push_back(batch.haplotypes[h]);
    h += batch.first_selected;
  }
  CopyingSample sample(context.array, haplotypes, selection, selected);
  const StudyFit fit = FitStudy(copying, sample);
  model.mismatch_probability = MismatchProbabilityOfStudy(copying, fit, context.copying.min_mismatch_gain, sample);
  total += fit;
}

std::vector<WindowSample> SamplesOf(const SampleBatch& batch, const WindowStudy& study) {
  std::vector<WindowSample> samples;
  samples.reserve(batch.samples.size());
  for (size_t s = 0; s < batch.samples.size(); ++s) {
    samples.push_back({&batch.samples[s], batch.selected[s], study.samples->first_haplotype[batch.first_sample + s]});
  }
  return samples;
}

// Of each thread.
using SampleGroups = tbb::enumerable_thread_specific<SampleGroup>;

// On all threads, together or each by itself.
void ImputeSamples(const WindowContext& context, const WindowStudy& study, const SampleBatch& batch,
                   const StateSelection& selection, bool in_groups, SampleGroups& groups, WindowDosages& dosages) {
  const std::vector<WindowSample> samples = SamplesOf(batch, study);
  const auto finish = [&](size_t s) {
    WritePhase(context.alleles, batch.samples[s], batch.first_sample + s, dosages);
    study.Report(batch.samples[s].phase_probability.empty() ? 1 : 1 - kPhasingWork);
  };
  if (in_groups) {
    groups.local().Impute(samples, selection, finish, dosages);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<size_t>(0, samples.size(), 1), [&](const tbb::blocked_range<size_t>& range) {
    for (size_t s = range.begin(); s < range.end(); ++s) {
      groups.local().Impute(
          {&samples[s], 1}, selection, [&](size_t) { finish(s); }, dosages);
    }
  });
}

}  // namespace

WindowDosages ImputeWindow(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                           MarkerRange wanted, ImputerBackend& backend, const CopyingOptions& defaults,
                           const PhasingOptions& phasing, StageTimes* times) {
  const CopyingOptions copying = defaults.ForPanel(panel.num_haplotypes());
  StageTimes not_wanted;
  if (times == nullptr) times = &not_wanted;
  const TypedPanel array(panel, study.typed, map);
  PanelCopying panel_copying;
  CopyingModel model;  // of each batch of samples
  const std::vector<uint32_t> sample_of = panel.samples().SampleOfHaplotype();
  const PanelPopulations populations(panel, sample_of);
  const WindowAlleles alleles(panel, array, wanted.begin, wanted.end);
  const WindowRegression regression(panel, array, wanted.begin, wanted.end);
  const std::vector<MarkerFeatures> marker_features = FeaturesOfMarkers(panel, array, alleles, regression, map);
  WindowDosages dosages(wanted, study.samples->num_haplotypes(), TypedWithin(study, wanted));
  const WindowContext context{panel,      array,           model,     panel_copying, populations, alleles,
                              regression, marker_features, sample_of, copying,       *times};
  const PhasingContext phasing_context{panel,     map,     &array,  &panel_copying.model, &populations,
                                       sample_of, copying, phasing, kPhasingWork};
  StudyPhaser phaser(phasing_context, study);
  SampleGroups groups([&] { return SampleGroup(context, backend); });
  const size_t samples = study.samples->num_samples();
  if (!study.unphased.empty()) dosages.phase = ProbabilityTable(samples, dosages.left_out_markers.size());
  const size_t searched = kSamplesAtATime * BatchesOfSearch(panel.num_haplotypes());
  const PanelSample panel_sample(array, copying);
  const auto estimate = [&](const StateSelection& selection) {
    panel_copying = EstimatePanelCopying(array, panel_sample, selection, copying);
    model = panel_copying.model;
  };
  // A phased study needs no model yet: one search can serve the panel's sample and the first samples of the study.
  const bool share_search = study.IsPhased() && panel.num_haplotypes() >= kLargePanel;
  std::vector<MatchTarget> of_panel;
  if (share_search) of_panel = panel_sample.targets();
  if (!share_search) estimate({array, panel_sample.targets(), copying.states});
  for (size_t begin = 0; begin < samples; begin += searched) {
    std::vector<SampleBatch> batches;
    size_t selected = of_panel.size();
    for (size_t first = begin; first < std::min(begin + searched, samples); first += kSamplesAtATime) {
      batches.emplace_back(phaser.FindTargets(first, std::min(first + kSamplesAtATime, samples)), first, selected);
      selected += batches.back().haplotypes.size();
    }
    const StateSelection selection = SelectStates(array, of_panel, batches, copying.states, *times);
    if (share_search && begin == 0) {
      estimate(selection);
      of_panel.clear();
    }
    for (const SampleBatch& batch : batches) {
      FitModel(context, panel_copying, batch, selection, model, dosages.fit);
      ImputeSamples(context, study, batch, selection, backend.ImputesInGroups(), groups, dosages);
    }
  }
  return dosages;
}

}  // namespace haplospin
