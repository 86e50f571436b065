#include "imputation/imputing/phase_window.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <optional>
#include <span>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/forward_backward.h"
#include "imputation/copying/leave_one_out.h"
#include "imputation/copying/state_selection.h"
#include "imputation/phasing/study_phase.h"

namespace haplospin {
namespace {

bool HasMissing(const TargetHaplotype& target) {
  return std::ranges::find(target.alleles, kMissingAllele) != target.alleles.end();
}

// What is known of a panel, which may have no haplotypes.
class PanelSources {
 public:
  PanelSources(const HaplotypePanel& panel, const std::vector<uint32_t>& typed, const GeneticMap& map,
               const CopyingOptions& copying)
      : sample_of_(panel.samples().SampleOfHaplotype()) {
    if (panel.num_haplotypes() == 0) return;
    array_.emplace(panel, typed, map);
    copying_ = EstimatePanelCopying(*array_, copying);
    populations_.emplace(panel, sample_of_);
  }

  PhasingContext Context(const HaplotypePanel& panel, const GeneticMap& map, const CopyingOptions& copying,
                         const PhasingOptions& phasing) const {
    if (!array_) return {panel, map, nullptr, nullptr, nullptr, sample_of_, copying, phasing};
    return {panel, map, &*array_, &copying_.model, &*populations_, sample_of_, copying, phasing};
  }

  // How the haplotypes fit the panel, if it has any.
  StudyFit Fit(std::span<const TargetHaplotype* const> haplotypes, const CopyingOptions& copying) const {
    return array_ ? FitHaplotypes(*array_, copying_, haplotypes, copying.states) : StudyFit();
  }

 private:
  const std::vector<uint32_t> sample_of_;
  std::optional<TypedPanel> array_;
  PanelCopying copying_;
  std::optional<PanelPopulations> populations_;
};

// The ALT probability of a haplotype at each typed marker: that of the copying model where the allele is missing.
class TypedProbabilities {
 public:
  TypedProbabilities(const TypedPanel& array, const CopyingModel& model) : array_(array), model_(model) {}

  std::vector<float> Of(const TargetHaplotype& target, const StateSelection& selection, size_t index) {
    std::vector<float> probabilities(target.alleles.begin(), target.alleles.end());
    if (!HasMissing(target)) return probabilities;
    selection.Get(index, states_);
    const auto at_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
      if (target.alleles[j] != kMissingAllele) return;
      probabilities[j] = AltProbabilityWithoutOwnAllele(array_, model_, target.alleles[j], j,
                                                        SumJointly(states_, j, forward, backward));
    };
    recursions_.Run(
        array_, model_, target, states_, [](size_t, const CopyState&, const CopyState&) {}, at_typed);
    return probabilities;
  }

 private:
  const TypedPanel& array_;
  const CopyingModel& model_;
  CopyingStates states_;
  ForwardBackward recursions_;
};

// The haplotypes of some samples, one after the other, and the states of those with missing alleles.
struct BatchHaplotypes {
  BatchHaplotypes(const StudyPhaser& phaser, const WindowStudy& study, std::span<const SampleTargets> samples,
                  size_t first_sample, const StateOptions& options) {
    std::vector<MatchTarget> with_missing;
    for (size_t s = 0; s < samples.size(); ++s) {
      for (const TargetHaplotype& target : samples[s].most_probable()) {
        targets.push_back(&target);
        selected.push_back(with_missing.size());
        if (!HasMissing(target)) continue;
        with_missing.emplace_back(target, phaser.reference().Own(study, first_sample + s));
      }
    }
    selection.emplace(phaser.reference().array(), with_missing, options);
  }

  std::vector<const TargetHaplotype*> targets;
  std::vector<size_t> selected;  // of each target, its index in `selection` if it has missing alleles
  std::optional<StateSelection> selection;
};

}  // namespace

WindowDosages PhasingModel::Impute(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                                   MarkerRange /*core*/, MarkerRange wanted) const {
  const CopyingOptions copying = copying_.ForPanel(panel.num_haplotypes());
  const PanelSources sources(panel, study.typed, map, copying);
  const PhasingContext context = sources.Context(panel, map, copying, phasing_);
  StudyPhaser phaser(context, study);
  WindowDosages dosages(wanted, study.samples->num_haplotypes());
  const size_t samples = study.samples->num_samples();
  for (size_t begin = 0; begin < samples; begin += kSamplesAtATime) {
    const size_t end = std::min(begin + kSamplesAtATime, samples);
    const std::vector<SampleTargets> targets = phaser.FindTargets(begin, end);
    const CopyingModel model = phaser.model();
    tbb::enumerable_thread_specific<TypedProbabilities> workspaces(std::cref(phaser.reference().array()),
                                                                   std::cref(model));
    const BatchHaplotypes haplotypes(phaser, study, targets, begin, copying.states);
    dosages.fit += sources.Fit(haplotypes.targets, copying);
    const uint32_t first = study.samples->first_haplotype[begin];
    tbb::parallel_for(size_t{0}, haplotypes.targets.size(), [&](size_t h) {
      const std::vector<float> probabilities =
          workspaces.local().Of(*haplotypes.targets[h], *haplotypes.selection, haplotypes.selected[h]);
      std::vector<float> row(wanted.size());
      for (size_t j = 0; j < study.typed.size(); ++j) {
        if (wanted.Contains(study.typed[j])) row[study.typed[j] - wanted.begin] = probabilities[j];
      }
      dosages.alt.SetRow(first + h, row);
    });
    for (const SampleTargets& sample : targets) study.Report(sample.phase_probability.empty() ? 1 : 0);
  }
  return dosages;
}

}  // namespace haplospin
