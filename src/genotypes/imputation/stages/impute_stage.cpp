#include "genotypes/imputation/stages/impute_stage.h"

#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "genotypes/imputation/models/copying/copying_sample.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/imputation/models/network/marker_regression.h"
#include "genotypes/imputation/models/phase_errors/phase_errors.h"
#include "genotypes/imputation/stages/estimate_stage.h"
#include "genotypes/imputation/window/imputed_markers.h"

namespace haplospin {
namespace {

constexpr double kPhasingWork = 0.6;  // share of the work on a sample that is not phased

// An error of phase that is left makes imputation less accurate than an exchange where there is none, so one that is
// somewhat less likely than none is corrected.
constexpr double kMinLogOddsOfPhaseError = -1;

// In a large panel, one search serves several batches and, if the study's haplotypes are given, the panel's sample. In
// a small one, where sorting takes little time, fewer matches are in memory at once.
constexpr size_t kMaxBatchesOfSearch = 4;

// Bytes of a marker that has a regression, and of a typed marker for all regressions.
constexpr size_t kRegressionBytes = 280, kTypedRegressionBytes = 900;

size_t BatchesOfSearch(size_t panel_haplotypes, Backend& backend) {
  const size_t for_panel = std::clamp<size_t>(panel_haplotypes / kLargePanel, 1, kMaxBatchesOfSearch);
  return std::max(for_panel, backend.BatchesAtATime());
}

// Returns the dosages before any row is set.
WindowDosages EmptyDosages(const WindowStudy& study, MarkerRange range) {
  std::vector<uint32_t> markers;
  std::ranges::copy_if(study.typed(), std::back_inserter(markers), [&](uint32_t m) { return range.Contains(m); });
  const SampleTable& samples = study.samples();
  TypedProbabilities typed(std::move(markers), samples.num_haplotypes());
  typed.phase.emplace(samples.num_samples(), typed.markers.size());
  return {range, samples.num_haplotypes(), std::move(typed)};
}

using Batches = std::vector<std::unique_ptr<SampleBatch>>;

// Makes the batches of a study, in the order of its samples, and searches their matches.
class BatchSearch {
 public:
  // Returns the haplotypes of study samples [begin, end), which are within a batch.
  using FindTargets = std::function<std::vector<SampleTargets>(size_t begin, size_t end)>;

  // The window and the study must outlive the search, which finds the matches of `samples_at_a_time` samples together.
  BatchSearch(const PanelWindow& window, const WindowStudy& study, size_t samples_at_a_time, FindTargets find_targets)
      : window_(window), study_(study), samples_at_a_time_(samples_at_a_time), find_targets_(std::move(find_targets)) {}

  // Returns the next batches, whose matches are searched after those of `panel_targets`; none if no samples are left.
  Batches Next(std::span<const TargetHaplotype> panel_targets = {});

 private:
  const PanelWindow& window_;
  const WindowStudy& study_;
  const size_t samples_at_a_time_;
  const FindTargets find_targets_;
  size_t next_sample_ = 0;
};

Batches BatchSearch::Next(std::span<const TargetHaplotype> panel_targets) {
  const size_t end = std::min(next_sample_ + samples_at_a_time_, study_.samples().num_samples());
  std::vector<const TargetHaplotype*> targets = PointersTo(panel_targets);
  Batches batches;
  while (next_sample_ < end) {
    const size_t last = std::min(next_sample_ + kSamplesAtATime, end);
    SampleBatch& batch = *batches.emplace_back(std::make_unique<SampleBatch>());
    batch.first_sample = next_sample_;
    batch.samples = find_targets_(next_sample_, last);
    for (const SampleTargets& sample : batch.samples) {
      batch.selected.push_back(targets.size());
      for (const TargetHaplotype& haplotype : sample.most_probable()) targets.push_back(&haplotype);
    }
    next_sample_ = last;
  }
  if (batches.empty()) return batches;
  const auto selection =
      std::make_shared<const StateSelection>(window_.typed_panel(), targets, window_.options().states);
  for (const std::unique_ptr<SampleBatch>& batch : batches) batch->selection = selection;
  return batches;
}

// Hands the batches of a study to a backend.
class StudyImputation {
 public:
  // The estimates of the window must be known. Both must outlive the object.
  StudyImputation(WindowState& window, Backend& backend)
      : state_(window),
        window_(window.copied()),
        study_(window.study),
        estimates_(*window.estimates),
        backend_(backend),
        markers_(window_),
        dosages_(window.dosages.emplace(EmptyDosages(study_, window.found()))) {}

  // Imputes the first batches of the search, and those that follow.
  void Run(Batches batches, BatchSearch& search);

 private:
  void FitModel(SampleBatch& batch);
  void CorrectPhase(BackendWindow& imputing, const Batches& batches);
  void SetPhase(const SampleBatch& batch);

  WindowState& state_;
  const PanelWindow& window_;
  const WindowStudy& study_;
  const PanelEstimates& estimates_;
  Backend& backend_;
  const ImputedMarkers markers_;
  WindowDosages& dosages_;
};

void StudyImputation::Run(Batches batches, BatchSearch& search) {
  const std::unique_ptr<BackendWindow> imputing =
      backend_.Start({window_, estimates_, markers_, study_, dosages_, [this](const SampleTargets& sample) {
                        study_.Report(sample.phase_probability.empty() ? 1 : 1 - kPhasingWork);
                      }});
  while (!batches.empty()) {
    // The search sorts the panel on two threads at most, so that others, and a GPU, impute meanwhile. With one thread,
    // the matches at hand are released before.
    tbb::task_group ahead;
    Batches next;
    if (Threads() > 1) ahead.run([&] { next = search.Next(); });
    for (const std::unique_ptr<SampleBatch>& batch : batches) FitModel(*batch);
    CorrectPhase(*imputing, batches);
    for (std::unique_ptr<SampleBatch>& batch : batches) {
      SetPhase(*batch);
      imputing->Impute(std::move(batch));
    }
    batches.clear();
    if (Threads() == 1) ahead.run([&] { next = search.Next(); });
    ahead.wait();
    batches = std::move(next);
  }
  imputing->Finish();
}

// Compares evenly spaced haplotypes of the batch with the panel; the mismatch probability of its model is theirs.
void StudyImputation::FitModel(SampleBatch& batch) {
  const std::vector<const TargetHaplotype*> all = MostProbable(batch.samples);
  std::vector<size_t> selected = HaplotypesToFit(all);
  std::vector<const TargetHaplotype*> chosen;
  for (size_t& h : selected) {
    chosen.push_back(all[h]);
    h += batch.selected.front();
  }
  CopyingSample sample(window_.typed_panel(), chosen, *batch.selection, selected);
  const PanelCopying& copying = estimates_.copying;
  const StudyFit fit = FitStudy(copying, sample);
  batch.model = copying.model;
  batch.model.mismatch_probability =
      MismatchProbabilityOfStudy(copying, fit, window_.options().min_mismatch_gain, sample);
  state_.report.fit += fit;
}

void StudyImputation::CorrectPhase(BackendWindow& imputing, const Batches& batches) {
  const std::vector<float>& estimated = estimates_.copying.last_round.switch_probability;
  if (estimated.empty()) return;  // The panel has too few haplotypes or markers to tell errors of phase.
  std::vector<CopyingModel> models;
  for (const std::unique_ptr<SampleBatch>& batch : batches) {
    models.push_back(batch->model);
    models.back().switch_probability = estimated;
  }
  std::vector<SearchedBatch> searched;
  for (size_t b = 0; b < batches.size(); ++b) {
    SampleBatch& batch = *batches[b];
    searched.push_back({{window_.typed_panel(), models[b], *batch.selection, batch.selected}, batch.samples});
  }
  const auto examine = [&](std::span<const ExaminedPhase> phases) { return imputing.ExaminePhases(phases); };
  CorrectPhaseErrors(searched, kMinLogOddsOfPhaseError, examine);
  const auto typed = [&](size_t marker) {
    return static_cast<size_t>(std::ranges::lower_bound(study_.typed(), marker) - study_.typed().begin());
  };
  const MarkerRange wanted = state_.panel.wanted();
  const size_t first = typed(wanted.begin), last = typed(wanted.end);
  for (const SearchedBatch& batch : searched) {
    state_.report.phase_errors += CountPhaseErrors(batch.samples, first, last);
  }
}

void StudyImputation::SetPhase(const SampleBatch& batch) {
  if (!dosages_.typed->phase) return;
  const std::vector<uint32_t>& typed = dosages_.typed->markers;
  for (size_t s = 0; s < batch.samples.size(); ++s) {
    const std::vector<float>& probability = batch.samples[s].phase_probability;
    if (probability.empty()) continue;
    for (size_t k = 0; k < typed.size(); ++k) {
      dosages_.typed->phase->Set(batch.first_sample + s, k, probability[markers_.alleles.typed_index(typed[k])]);
    }
  }
}

}  // namespace

StageMemory ImputeStage::Memory(const WindowSize& size) const {
  const PanelContent& panel = size.panel;
  // Common markers, and the most rare markers that can have enough carriers.
  const size_t fitted = panel.common + std::min(panel.markers - panel.common,
                                                panel.carriers / MarkerRegression::MinCarriers(panel.haplotypes));
  StageMemory memory = PhasingMemory(size);
  memory.shared += fitted * kRegressionBytes + TypedMarkers(size) * kTypedRegressionBytes;
  memory.thread += panel.haplotypes * (MatchFeatures::BytesOfHaplotype() + CopyingStates::BytesOfHaplotype());
  return memory;
}

void ImputeStage::Run(WindowState& window) const {
  const WindowStudy& study = window.study;
  std::optional<PanelSample> sample;  // whose matches are searched with those of the study
  std::optional<StudyPhaser> phaser;
  if (window.estimates) {
    phaser.emplace(window.copied(), window.estimates, study, phasing_.In(window), kPhasingWork);
  } else {
    sample.emplace(window.panel.typed_panel(), window.panel.options());
  }
  const size_t batches = BatchesOfSearch(window.panel.panel().num_haplotypes(), backend_);
  BatchSearch search(window.copied(), study, kSamplesAtATime * batches, [&](size_t begin, size_t end) {
    return phaser ? phaser->FindTargets(begin, end) : GivenTargets(study, begin, end);
  });
  Batches first = search.Next(sample ? sample->haplotypes() : std::span<const TargetHaplotype>());
  if (sample) {
    window.estimates =
        first.empty() ? EstimatePanel(window.panel) : EstimatePanel(window.panel, *sample, *first[0]->selection);
  }
  StudyImputation(window, backend_).Run(std::move(first), search);
}

}  // namespace haplospin
