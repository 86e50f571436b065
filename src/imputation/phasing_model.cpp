#include "imputation/phasing_model.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <utility>

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

// The ALT probability at each typed marker: that of the copying model where the allele is missing.
class TypedProbabilities {
 public:
  TypedProbabilities(const TypedPanel& array, const CopyingModel& model) : array_(array), model_(model) {}

  std::vector<float> Of(const TargetHaplotype& target, const StateSelection& selection, size_t index) {
    std::vector<float> probabilities(target.alleles.begin(), target.alleles.end());
    if (!HasMissing(target)) return probabilities;
    selection.Get(index, states_);
    const auto at_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
      if (target.alleles[j] != kMissingAllele) return;
      probabilities[j] =
          AltProbabilityWithoutOwnAllele(array_, states_, model_, target.alleles[j], j, forward, backward);
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

}  // namespace

WindowDosages PhasingModel::Impute(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                                   MarkerRange /*core*/, MarkerRange wanted) const {
  const TypedPanel array(panel, study.typed, map);
  const CopyingModel model = WithRatesOf(phasing_, EstimateCopyingModel(array, copying_), copying_);
  const std::vector<uint32_t> sample_of = panel.samples().SampleOfHaplotype();
  const PanelPopulations populations(panel, sample_of);
  const HaplotypeRows rows = array.rows();
  const PhasingContext context{rows, model, &populations, sample_of, phasing_};
  WindowDosages dosages(wanted, study.samples->num_haplotypes());
  const size_t samples = study.samples->num_samples();
  tbb::enumerable_thread_specific<TypedProbabilities> workspaces(std::cref(array), std::cref(model));
  for (size_t begin = 0; begin < samples; begin += kSamplesAtATime) {
    const size_t end = std::min(begin + kSamplesAtATime, samples);
    std::vector<TargetHaplotype> haplotypes;
    for (SampleTargets& sample : FindTargets(context, study, begin, end)) {
      std::ranges::move(sample.most_probable, std::back_inserter(haplotypes));
    }
    std::vector<MatchTarget> targets;
    for (const TargetHaplotype& haplotype : haplotypes) {
      if (HasMissing(haplotype)) targets.emplace_back(haplotype);
    }
    std::vector<size_t> selected(haplotypes.size());
    for (size_t h = 1; h < haplotypes.size(); ++h) selected[h] = selected[h - 1] + HasMissing(haplotypes[h - 1]);
    const StateSelection selection(array, targets, copying_.states);
    const uint32_t first = study.samples->first_haplotype[begin];
    tbb::parallel_for(size_t{0}, haplotypes.size(), [&](size_t h) {
      const std::vector<float> probabilities = workspaces.local().Of(haplotypes[h], selection, selected[h]);
      for (size_t j = 0; j < study.typed.size(); ++j) {
        if (wanted.Contains(study.typed[j])) dosages.Set(first + h, study.typed[j], probabilities[j]);
      }
    });
    for (size_t s = begin; study.on_sample && s < end; ++s) study.on_sample();
  }
  return dosages;
}

}  // namespace haplospin
