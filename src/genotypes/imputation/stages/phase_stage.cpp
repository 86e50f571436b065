#include "genotypes/imputation/stages/phase_stage.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/forward_backward.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// With arrays and large panels there are more markers for each typed one.
constexpr size_t kMarkersOfTyped = 20;
// Bytes of a panel haplotype: sorting for the search in two directions.
constexpr size_t kSearchBytes = 40;
// Bytes of a panel sample in each thread: its place among the people that a sample copies.
constexpr size_t kSampleThreadBytes = sizeof(uint32_t);
// Bytes of an allele of a study with families, for what is found of families.
constexpr size_t kFamilyAlleleBytes = 48;
// Bytes of a marker with likelihoods in each thread: the probabilities of the states of both haplotypes.
constexpr size_t kUncertainGenotypeBytes = 2 * sizeof(float) * kLikelihoodStates;

// Workspace of one thread: the ALT probability of a haplotype at each typed marker, which is that of the copying model
// where the allele is missing.
class ProbabilityFinder {
 public:
  ProbabilityFinder(const TypedPanel& panel, const CopyingModel& model) : panel_(panel), model_(model) {}

  // The target has the states of target `index` of `selection` if it has missing alleles.
  std::vector<float> Find(const TargetHaplotype& target, const StateSelection& selection, size_t index) {
    std::vector<float> probabilities(target.alleles.begin(), target.alleles.end());
    if (!HasMissing(target.alleles)) return probabilities;
    selection.Get(index, StateTargets::kOne, states_);
    const auto at_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
      if (target.alleles[j] != kMissingAllele) return;
      probabilities[j] = AltProbabilityWithoutOwnAllele(panel_, model_, target.alleles[j], j,
                                                        SumJointly(states_, j, forward, backward));
    };
    recursions_.Run(
        panel_, model_, target, states_, [](size_t, const CopyState&, const CopyState&) {}, at_typed);
    return probabilities;
  }

 private:
  const TypedPanel& panel_;
  const CopyingModel& model_;
  CopyingStates states_;
  ForwardBackward recursions_;
};

// Sets the rows of people without genotypes.
void SetAnimals(const WindowStudy& study, std::span<const FamilyHaplotypes> animals, WindowDosages& dosages) {
  dosages.animals.emplace(2 * animals.size(), dosages.range.size());
  for (size_t h = 0; h < 2 * animals.size(); ++h) {
    std::vector<float> row(dosages.range.size());
    for (size_t j = 0; j < study.num_typed(); ++j) {
      const uint32_t m = study.typed()[j];
      if (dosages.range.Contains(m)) row[m - dosages.range.begin] = animals[h / 2][h % 2][j];
    }
    dosages.animals->SetRow(h, row);
  }
}

StudyFit Fit(const PanelWindow& window, const PanelCopying& copying, std::span<const SampleTargets> samples) {
  return FitHaplotypes(window.typed_panel(), copying, MostProbable(samples), window.options().states);
}

// Sets the rows of samples from `first_sample` on, which `phaser` has phased.
void SetPhasedRows(const StudyPhaser& phaser, const WindowStudy& study, std::vector<SampleTargets> samples,
                   size_t first_sample, const StateOptions& options, WindowDosages& dosages) {
  std::vector<const std::vector<float>*> imputed;  // [haplotypes] SampleTargets::alt_probability or null
  for (size_t s = 0; s < samples.size(); ++s) {
    const std::vector<std::vector<float>>& probabilities = samples[s].alt_probability;
    for (size_t t = 0; t < samples[s].ploidy(); ++t) {
      samples[s].versions[0].haplotypes[t].excluded = phaser.reference().Own(study, first_sample + s);
      imputed.push_back(probabilities.empty() ? nullptr : &probabilities[t]);
    }
  }
  const std::vector<const TargetHaplotype*> haplotypes = MostProbable(samples);
  std::vector<const TargetHaplotype*> with_missing;
  std::vector<size_t> selected;
  for (size_t h = 0; h < haplotypes.size(); ++h) {
    selected.push_back(with_missing.size());
    if (imputed[h] == nullptr && HasMissing(haplotypes[h]->alleles)) with_missing.push_back(haplotypes[h]);
  }
  const TypedPanel& panel = phaser.reference().panel();
  const CopyingModel& model = phaser.model();
  const StateSelection selection(panel, with_missing, options);
  tbb::enumerable_thread_specific<ProbabilityFinder> workspaces(std::cref(panel), std::cref(model));
  const uint32_t first = study.samples().first_haplotype[first_sample];
  tbb::parallel_for(size_t{0}, haplotypes.size(), [&](size_t h) {
    const std::vector<float> probabilities =
        imputed[h] != nullptr ? *imputed[h] : workspaces.local().Find(*haplotypes[h], selection, selected[h]);
    std::vector<float> row(dosages.range.size());
    for (size_t j = 0; j < study.num_typed(); ++j) {
      if (dosages.range.Contains(study.typed()[j])) row[study.typed()[j] - dosages.range.begin] = probabilities[j];
    }
    dosages.alt.SetRow(first + h, row);
  });
}

// Calls visit(samples, first sample) for the samples of the study, whose haplotypes are find(begin, end), a batch after
// the other.
template <typename Find, typename Visit>
void ForEachBatch(const WindowStudy& study, const Find& find, const Visit& visit) {
  const size_t samples = study.samples().num_samples();
  for (size_t begin = 0, end; begin < samples; begin = end) {
    end = std::min(begin + kSamplesAtATime, samples);
    std::vector<SampleTargets> batch = find(begin, end);
    const auto phased = std::ranges::count_if(batch, [](const auto& s) { return s.phase_probability.empty(); });
    visit(std::move(batch), begin);
    study.Report(static_cast<double>(phased));  // The others were reported while they were phased.
  }
}

}  // namespace

size_t TypedMarkers(const WindowSize& size) { return size.panel.markers / kMarkersOfTyped; }

StageMemory PhasingMemory(const WindowSize& size) {
  const size_t haplotypes = size.panel.haplotypes;
  return {.shared = haplotypes * kSearchBytes,
          .thread = haplotypes * (CopyingStates::BytesOfHaplotype() + sizeof(float)) +
                    size.panel_samples * kSampleThreadBytes};
}

StageMemory PhaseStage::Memory(const WindowSize& size) const { return PhasingMemory(size); }

size_t PhaseStage::BytesOfMarker(const WindowSize& size) const {
  if (!bounds_markers_) return 0;
  const size_t haplotypes = size.panel.haplotypes;
  const size_t panel_bytes = haplotypes == 0 ? 0 : haplotypes / 2 + kPlannedThreads * kUncertainGenotypeBytes;
  const size_t allele_bytes = kPhasedAlleleBytes + (phasing_.options.has_families ? kFamilyAlleleBytes : 0);
  return size.study_haplotypes * allele_bytes + panel_bytes;
}

void PhaseStage::Run(WindowState& window) const {
  const WindowStudy& study = window.study;
  const PanelWindow& panel = window.copied();
  StudyPhaser phaser(panel, window.estimates, study, phasing_.In(window), /*work=*/1);
  WindowDosages& dosages = window.dosages.emplace(window.found(), study.samples().num_haplotypes());
  const auto find = [&](size_t begin, size_t end) { return phaser.FindTargets(begin, end); };
  ForEachBatch(study, find, [&](std::vector<SampleTargets> samples, size_t first_sample) {
    if (phaser.plan().judges_population) window.report.fit += Fit(panel, window.estimates->copying, samples);
    SetPhasedRows(phaser, study, std::move(samples), first_sample, panel.options().states, dosages);
  });
  if (phasing_.options.finds_animals) SetAnimals(study, phaser.animals(), dosages);
}

StudyFit FitWindow(const PanelWindow& window, const WindowStudy& study) {
  StudyFit fit;
  if (IsPhased(study)) {
    const PanelCopying copying = EstimatePanelCopying(window.typed_panel(), window.options());
    const auto find = [&](size_t begin, size_t end) { return GivenTargets(study, begin, end); };
    ForEachBatch(study, find, [&](const auto& samples, size_t) { fit += Fit(window, copying, samples); });
  } else {
    const PanelEstimates estimates = EstimatePanel(window);
    StudyPhaser phaser(window, estimates, study, {}, /*work=*/1);
    const auto find = [&](size_t begin, size_t end) { return phaser.FindTargets(begin, end); };
    ForEachBatch(study, find, [&](const auto& samples, size_t) { fit += Fit(window, estimates.copying, samples); });
  }
  return fit;
}

}  // namespace haplospin
