#include "genotypes/imputation/stages/impute_window.h"

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
#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/imputation/models/phase_errors/phase_errors.h"
#include "genotypes/imputation/stages/ancestral_average.h"
#include "genotypes/imputation/stages/joint_imputation.h"
#include "genotypes/imputation/stages/panel_families.h"
#include "genotypes/imputation/window/imputed_markers.h"
#include "genotypes/imputation/window/scaled_window.h"

namespace haplospin {
namespace {

constexpr double kPhasingWork = 0.6;  // share of the work on a sample that is not phased

// An error of phase that is left makes imputation less accurate than an exchange where there is none, so one that is
// somewhat less likely than none is corrected.
constexpr double kMinLogOddsOfPhaseError = -1;

// Searching for matches sorts the panel, whatever the number of targets. In a large panel, one search serves several
// batches and, if the study's haplotypes are given, the panel's sample. In a small one, where sorting takes little
// time, fewer matches are in memory at once.
constexpr size_t kLargePanel = 1 << 16;  // haplotypes
constexpr size_t kMaxBatchesOfSearch = 4;

size_t BatchesOfSearch(size_t panel_haplotypes, Backend& backend) {
  const size_t for_panel = std::clamp<size_t>(panel_haplotypes / kLargePanel, 1, kMaxBatchesOfSearch);
  return std::max(for_panel, backend.BatchesAtATime());
}

// Returns the dosages before any row is set.
WindowDosages EmptyDosages(const PanelWindow& window, const WindowStudy& study) {
  std::vector<uint32_t> markers;
  std::ranges::copy_if(study.typed(), std::back_inserter(markers),
                       [&](uint32_t m) { return window.wanted().Contains(m); });
  const SampleTable& samples = study.samples();
  TypedProbabilities typed(std::move(markers), samples.num_haplotypes());
  typed.phase.emplace(samples.num_samples(), typed.markers.size());
  return {window.wanted(), samples.num_haplotypes(), std::move(typed)};
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
  StudyImputation(const WindowInput& input, const PanelEstimates& estimates, Backend& backend, WindowDosages& dosages)
      : window_(input.panel),
        study_(input.study),
        estimates_(estimates),
        backend_(backend),
        markers_(input.panel),
        dosages_(dosages) {}

  // Imputes the first batches of the search, and those that follow.
  void Run(Batches batches, BatchSearch& search);

 private:
  void FitModel(SampleBatch& batch);
  void CorrectPhase(BackendWindow& imputing, const Batches& batches);
  void SetPhase(const SampleBatch& batch);

  const PanelWindow& window_;
  const WindowStudy& study_;
  const PanelEstimates& estimates_;
  Backend& backend_;
  const ImputedMarkers markers_;
  WindowDosages& dosages_;
  StudyFit fit_;
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
  dosages_.fit = fit_;
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
  fit_ += fit;
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
  const size_t first = typed(dosages_.range.begin), last = typed(dosages_.range.end);
  for (const SearchedBatch& batch : searched) dosages_.phase_errors += CountPhaseErrors(batch.samples, first, last);
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

// Imputes a phased study from a large panel: one search finds the matches of both.
WindowDosages ImputeFromLargePanel(const WindowInput& input, size_t samples_at_a_time, Backend& backend) {
  const PanelWindow& window = input.panel;
  const WindowStudy& study = input.study;
  BatchSearch search(window, study, samples_at_a_time,
                     [&](size_t begin, size_t end) { return GivenTargets(study, begin, end); });
  const PanelSample sample(window.typed_panel(), window.options());
  Batches first = search.Next(sample.haplotypes());
  const PanelEstimates estimates =
      first.empty() ? EstimatePanel(window) : EstimatePanel(window, sample, *first[0]->selection);
  WindowDosages dosages = EmptyDosages(window, study);
  StudyImputation(input, estimates, backend, dosages).Run(std::move(first), search);
  return dosages;
}

// Imputes a study that is phased first, if it has to be.
WindowDosages ImputePhased(const WindowInput& input, const ScaledWindow& scaled, size_t samples_at_a_time,
                           Backend& backend, const PhasingOptions& phasing) {
  StudyPhaser phaser(scaled.window(), scaled.estimates(), input.study, scaled.is_scaled() ? phasing.ForHerd() : phasing,
                     kPhasingWork);
  BatchSearch search(scaled.window(), input.study, samples_at_a_time,
                     [&](size_t begin, size_t end) { return phaser.FindTargets(begin, end); });
  Batches first = search.Next();
  const WindowInput scaled_input{scaled.window(), input.study, input.core, input.adapted};
  WindowDosages dosages = EmptyDosages(scaled.window(), input.study);
  StudyImputation(scaled_input, scaled.estimates(), backend, dosages).Run(std::move(first), search);
  return dosages;
}

// Returns the rows of some markers.
ProbabilityTable Part(const WindowDosages& dosages, MarkerRange range) {
  std::vector<float> columns;
  dosages.alt.CopyColumns(range.begin - dosages.range.begin, range.end - dosages.range.begin, columns);
  ProbabilityTable part(dosages.num_haplotypes(), range.size());
  for (size_t h = 0; h < dosages.num_haplotypes(); ++h) {
    std::vector<float> row(range.size());
    for (size_t m = 0; m < row.size(); ++m) row[m] = columns[m * dosages.num_haplotypes() + h];
    part.SetRow(h, row);
  }
  return part;
}

}  // namespace

WindowDosages ImputeWindow(const WindowInput& input, Backend& backend, const PhasingOptions& phasing) {
  const PanelWindow& window = input.panel;
  const WindowStudy& study = input.study;
  const size_t panel_haplotypes = window.panel().num_haplotypes();
  const size_t samples_at_a_time = kSamplesAtATime * BatchesOfSearch(panel_haplotypes, backend);
  const PanelFamilies families(window, study);
  if (!input.adapted && !families.HasAny() && panel_haplotypes >= kLargePanel &&
      AreHaplotypesGiven(MakePhasingPlan(phasing, window, study), study)) {
    return ImputeFromLargePanel(input, samples_at_a_time, backend);
  }
  const ScaledWindow scaled(window, input.adapted);
  WindowDosages dosages = ImputePhased(input, scaled, samples_at_a_time, backend, phasing);
  const bool is_joint = scaled.is_scaled() && !families.HasAllParents() &&
                        IsJointWindow(window, study, input.core, phasing.max_joint_alleles);
  if (!is_joint && !families.HasAny()) return dosages;
  // What is drawn depends on all markers of the core, so that the wanted ones are as if all were.
  const auto impute = [&](const WindowStudy& samples) {
    const PanelWindow whole(window.panel(), window.map(), study.typed(), input.core, window.options());
    const WindowInput whole_input{whole, samples, input.core, input.adapted};
    return ImputePhased(whole_input, ScaledWindow(whole, input.adapted), samples_at_a_time, backend, phasing);
  };
  const bool is_whole = window.wanted() == input.core;
  std::optional<WindowDosages> found;
  if (!is_whole) found = impute(study);
  WindowDosages& core = is_whole ? dosages : *found;
  if (is_joint) {
    AverageWithJoint(scaled.window(), study, phasing.seed, core);
    AverageWithAncestors(window, study, phasing.seed, phasing.max_ancestor_bytes, core);
  }
  if (families.HasAny()) families.Draw(impute, phasing.seed, core);
  if (!is_whole) dosages.alt = Part(core, window.wanted());
  return dosages;
}

}  // namespace haplospin
