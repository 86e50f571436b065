#include "imputation/imputing/impute_window.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "imputation/copying/state_selection.h"
#include "imputation/imputing/sample_imputer.h"
#include "imputation/phasing/phase_errors.h"
#include "imputation/phasing/study_phase.h"

namespace haplospin {
namespace {

constexpr double kPhasingWork = 0.6;  // of the work on a sample that is not phased

// An error of phase that is left makes imputation less accurate than an exchange where there is none, so one that is
// somewhat less likely than none is corrected.
constexpr double kMinLogOddsOfPhaseError = -1;

std::vector<MarkerFeatures> FeaturesOfMarkers(const HaplotypePanel& panel, const TypedPanel& array,
                                              const WindowAlleles& alleles, const WindowRegression& regression,
                                              const GeneticMap& map) {
  std::vector<MarkerFeatures> features(alleles.end() - alleles.begin());
  size_t interval = 0;
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    while (interval < array.num_typed() && array.typed()[interval] < m) ++interval;
    const size_t alt = panel.alt_count(m);
    features[m - alleles.begin()] = ComputeMarkerFeatures(
        std::min(alt, panel.num_haplotypes() - alt), panel.num_haplotypes(), PlaceOf(panel, m, array, interval, map));
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
  CopyingModel model;            // once it is fitted
};

// A search sorts the panel, whatever the number of targets: in a large panel, it serves several batches and the panel's
// sample. In a small one, where sorting takes little, fewer matches are in memory at the same time, unless the backend
// imputes many samples at a time.
constexpr size_t kLargePanel = 1 << 16;  // haplotypes

size_t BatchesOfSearch(size_t panel_haplotypes, bool in_groups) {
  constexpr size_t kMaxBatches = 4;
  return in_groups ? kMaxBatches : std::clamp<size_t>(panel_haplotypes / kLargePanel, 1, kMaxBatches);
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

// Batches of a study, one after the other, whose matches were searched together with those of `others`.
struct SearchedBatches {
  SearchedBatches(std::vector<SampleBatch> of_study, const TypedPanel& array, std::vector<MatchTarget> others,
                  const StateOptions& options, StageTimes& times)
      : batches(std::move(of_study)), selection(SelectStates(array, std::move(others), batches, options, times)) {}

  size_t first_sample() const { return batches[0].first_sample; }

  std::vector<SampleBatch> batches;
  StateSelection selection;
};

std::vector<WindowSample> SamplesOf(const std::vector<SampleBatch>& batches, const WindowStudy& study) {
  std::vector<WindowSample> samples;
  for (const SampleBatch& batch : batches) {
    for (size_t s = 0; s < batch.samples.size(); ++s) {
      samples.push_back(
          {&batch.samples[s], &batch.model, batch.selected[s], study.samples->first_haplotype[batch.first_sample + s]});
    }
  }
  return samples;
}

// Imputes a study in a window, a search for matches after the other.
class StudyImputation {
 public:
  // `panel_copying` is that of the context, which Run() estimates.
  StudyImputation(const WindowContext& context, const WindowStudy& study, StudyPhaser& phaser, ImputerBackend& backend,
                  PanelCopying& panel_copying, WindowDosages& dosages)
      : context_(context),
        study_(study),
        phaser_(phaser),
        in_groups_(backend.ImputesInGroups()),
        panel_copying_(panel_copying),
        panel_sample_(context.array, context.copying),
        imputers_([&] { return SampleImputer(context, backend); }),
        dosages_(dosages) {}

  void Run();

 private:
  std::unique_ptr<SearchedBatches> PrepareFirst();
  std::unique_ptr<SearchedBatches> PrepareNext();
  std::unique_ptr<SearchedBatches> Search(std::vector<MatchTarget> of_panel);
  void Estimate(const StateSelection& selection);
  void Prepare(SearchedBatches& searched);
  void FitModel(const StateSelection& selection, SampleBatch& batch);
  void CorrectPhase(const StateSelection& selection, SampleBatch& batch);
  void ImputeSamples(const SearchedBatches& searched);

  const WindowContext& context_;
  const WindowStudy& study_;
  StudyPhaser& phaser_;
  const bool in_groups_;
  PanelCopying& panel_copying_;
  const PanelSample panel_sample_;
  tbb::enumerable_thread_specific<SampleImputer> imputers_;  // of each thread, or one
  WindowDosages& dosages_;
  size_t next_sample_ = 0;  // to search for
};

void StudyImputation::Run() {
  std::unique_ptr<SearchedBatches> now = PrepareFirst();
  while (now) {
    std::unique_ptr<SearchedBatches> next;
    if (in_groups_) {  // the device imputes, while the CPU searches and corrects
      tbb::parallel_invoke([&] { ImputeSamples(*now); }, [&] { next = PrepareNext(); });
    } else {
      ImputeSamples(*now);
      now.reset();  // before the next takes as much memory
      next = PrepareNext();
    }
    now = std::move(next);
  }
}

// A phased study needs no model yet: one search can serve the panel's sample and the first samples of the study.
std::unique_ptr<SearchedBatches> StudyImputation::PrepareFirst() {
  if (!study_.IsPhased() || context_.panel.num_haplotypes() < kLargePanel) {
    Estimate({context_.array, panel_sample_.targets(), context_.copying.states});
    return PrepareNext();
  }
  std::unique_ptr<SearchedBatches> searched = Search(panel_sample_.targets());
  if (searched) Estimate(searched->selection);
  if (searched) Prepare(*searched);
  return searched;
}

// None if no samples are left.
std::unique_ptr<SearchedBatches> StudyImputation::PrepareNext() {
  std::unique_ptr<SearchedBatches> searched = Search({});
  if (searched) Prepare(*searched);
  return searched;
}

std::unique_ptr<SearchedBatches> StudyImputation::Search(std::vector<MatchTarget> of_panel) {
  const size_t at_a_time = kSamplesAtATime * BatchesOfSearch(context_.panel.num_haplotypes(), in_groups_);
  const size_t end = std::min(next_sample_ + at_a_time, study_.samples->num_samples());
  if (next_sample_ == end) return nullptr;
  std::vector<SampleBatch> batches;
  for (size_t selected = of_panel.size(), last; next_sample_ < end; next_sample_ = last) {
    last = std::min(next_sample_ + kSamplesAtATime, end);
    batches.emplace_back(phaser_.FindTargets(next_sample_, last), next_sample_, selected);
    selected += batches.back().haplotypes.size();
  }
  return std::make_unique<SearchedBatches>(std::move(batches), context_.array, std::move(of_panel),
                                           context_.copying.states, context_.times);
}

// The panel's sample are the first targets of the selection.
void StudyImputation::Estimate(const StateSelection& selection) {
  panel_copying_ = EstimatePanelCopying(context_.array, panel_sample_, selection, context_.copying);
}

void StudyImputation::Prepare(SearchedBatches& searched) {
  for (SampleBatch& batch : searched.batches) {
    FitModel(searched.selection, batch);
    CorrectPhase(searched.selection, batch);
  }
}

// Compares evenly spaced haplotypes of the batch with the panel; the mismatch probability of its model is theirs.
void StudyImputation::FitModel(const StateSelection& selection, SampleBatch& batch) {
  std::vector<size_t> selected = HaplotypesToFit(batch.haplotypes.size());
  std::vector<const TargetHaplotype*> haplotypes;
  haplotypes.reserve(selected.size());
  for (size_t& h : selected) {
    haplotypes.push_back(batch.haplotypes[h]);
    h += batch.first_selected;
  }
  CopyingSample sample(context_.array, haplotypes, selection, selected);
  const StudyFit fit = FitStudy(panel_copying_, sample);
  batch.model = panel_copying_.model;
  batch.model.mismatch_probability =
      MismatchProbabilityOfStudy(panel_copying_, fit, context_.copying.min_mismatch_gain, sample);
  dosages_.fit += fit;
}

void StudyImputation::CorrectPhase(const StateSelection& selection, SampleBatch& batch) {
  if (panel_copying_.last_round.switch_probability.empty()) return;  // a panel that tells nothing
  CopyingModel model = batch.model;
  model.switch_probability = panel_copying_.last_round.switch_probability;
  CorrectPhaseErrors(context_.array, model, selection, batch.selected, kMinLogOddsOfPhaseError, batch.samples,
                     context_.times);
  const auto typed = [&](size_t marker) {
    return static_cast<size_t>(std::ranges::lower_bound(context_.array.typed(), marker) -
                               context_.array.typed().begin());
  };
  dosages_.phase_errors += CountPhaseErrors(batch.samples, typed(dosages_.range.begin), typed(dosages_.range.end));
}

// On all threads, together or each by itself.
void StudyImputation::ImputeSamples(const SearchedBatches& searched) {
  const std::vector<WindowSample> samples = SamplesOf(searched.batches, study_);
  const auto finish = [&](size_t s) {
    const SampleTargets& targets = *samples[s].targets;
    WritePhase(context_.alleles, targets, searched.first_sample() + s, dosages_);
    study_.Report(targets.phase_probability.empty() ? 1 : 1 - kPhasingWork);
  };
  if (in_groups_) {  // by the same one, whichever thread this is: it has the window on the device
    SampleImputer& imputer = imputers_.empty() ? imputers_.local() : *imputers_.begin();
    imputer.Impute(samples, searched.selection, finish, dosages_);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<size_t>(0, samples.size(), 1), [&](const tbb::blocked_range<size_t>& range) {
    for (size_t s = range.begin(); s < range.end(); ++s) {
      imputers_.local().Impute(
          {&samples[s], 1}, searched.selection, [&](size_t) { finish(s); }, dosages_);
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
  const std::vector<uint32_t> sample_of = panel.samples().SampleOfHaplotype();
  const PanelPopulations populations(panel, sample_of);
  const WindowAlleles alleles(panel, array, wanted.begin, wanted.end);
  const WindowRegression regression(panel, array, wanted.begin, wanted.end);
  const std::vector<MarkerFeatures> marker_features = FeaturesOfMarkers(panel, array, alleles, regression, map);
  WindowDosages dosages(wanted, study.samples->num_haplotypes(), TypedWithin(study, wanted));
  if (!study.unphased.empty()) {
    dosages.phase = ProbabilityTable(study.samples->num_samples(), dosages.left_out_markers.size());
  }
  const WindowContext context{panel,      array,           panel_copying, populations, alleles,
                              regression, marker_features, sample_of,     copying,     *times};
  const PhasingContext phasing_context{panel,     map,     &array,  &panel_copying.model, &populations,
                                       sample_of, copying, phasing, kPhasingWork};
  StudyPhaser phaser(phasing_context, study);
  StudyImputation(context, study, phaser, backend, panel_copying, dosages).Run();
  return dosages;
}

}  // namespace haplospin
