#include "imputation/phasing/study_phase.h"

#include <algorithm>
#include <span>
#include <utility>

#include "haplospin/study_genotypes.h"
#include "imputation/phasing/given_phase.h"
#include "imputation/phasing/phase_alternatives.h"
#include "imputation/phasing/window_phaser.h"

namespace haplospin {
namespace {

// A draw's phase of the sample, in either orientation.
DiploidSample WithCis(const DiploidSample& sample, const std::vector<bool>& cis) {
  DiploidSample other = sample;
  SetCis(cis, other);
  return other;
}

// [intervals] the orientation of `version` at the heterozygote next to each interval, that on its left if there is one.
std::vector<bool> SwappedIntervals(const DiploidSample& sample, const DiploidSample& version) {
  std::vector<bool> swapped(sample.alleles[0].size() + 1);
  size_t begin = 0;
  for (size_t h = 0; h < sample.hets.size(); ++h) {
    const uint32_t j = sample.hets[h];
    const bool is_swapped = version.alleles[0][j] != sample.alleles[0][j];
    const size_t end = h + 1 < sample.hets.size() ? (j + sample.hets[h + 1]) / 2 + 1 : swapped.size();
    std::fill(swapped.begin() + static_cast<std::ptrdiff_t>(begin), swapped.begin() + static_cast<std::ptrdiff_t>(end),
              is_swapped);
    begin = end;
  }
  return swapped;
}

std::vector<TargetHaplotype> Haplotypes(const DiploidSample& sample) {
  return {TargetHaplotype(sample.alleles[0]), TargetHaplotype(sample.alleles[1])};
}

TargetHaplotype TargetOf(const WindowStudy& study, size_t haplotype) {
  std::vector<uint8_t> alleles(study.typed.size());
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = (*study.rows[j])[haplotype];
  return TargetHaplotype(std::move(alleles));
}

// A sample whose haplotypes are as given.
SampleTargets PhasedTargets(const WindowStudy& study, size_t sample) {
  SampleTargets targets;
  for (uint32_t h = study.samples->first_haplotype[sample]; h < study.samples->first_haplotype[sample + 1]; ++h) {
    targets.most_probable.push_back(TargetOf(study, h));
  }
  targets.versions.push_back({targets.most_probable});
  return targets;
}

// [intervals] the weight of an alternative between the heterozygotes around each interval.
std::vector<float> IntervalWeights(const DiploidSample& sample, const std::vector<float>& weight) {
  std::vector<float> result(sample.alleles[0].size() + 1);
  size_t h = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    while (h < sample.hets.size() && sample.hets[h] < i) ++h;
    result[i] = weight[h];
  }
  return result;
}

// [typed] see SampleTargets.
std::vector<float> PhaseProbabilities(const DiploidSample& phased, std::span<const float> cis_probability) {
  std::vector<float> result(phased.alleles[0].size());
  const std::vector<bool> cis = CisOf(phased);
  for (size_t h = 1; h < cis.size(); ++h) {
    if (!phased.can_flip[h] && !phased.can_switch_after[h - 1]) continue;
    result[phased.hets[h]] = cis[h] ? cis_probability[h] : 1 - cis_probability[h];
  }
  return result;
}

SampleTargets TargetsOf(const DiploidSample& phased, const PhaseDraws& draws, const AlternativeOptions& options) {
  SampleTargets targets{.most_probable = Haplotypes(phased),
                        .versions = {},
                        .phase_probability = PhaseProbabilities(phased, draws.cis_probability)};
  for (const PhaseAlternative& alternative : FindAlternatives(CisOf(phased), draws.cis, options)) {
    const DiploidSample version = WithCis(phased, alternative.cis);
    targets.versions.push_back(
        {Haplotypes(version), SwappedIntervals(phased, version), IntervalWeights(phased, alternative.weight)});
  }
  return targets;
}

}  // namespace

CopyingModel WithRatesOf(const PhasingOptions& phasing, CopyingModel model, const CopyingOptions& copying) {
  const float factor = phasing.rate_multiplier / copying.rate_multiplier;
  model.mismatch_probability = phasing.mismatch_probability;
  for (float& t : model.switch_probability) t = std::clamp(t * factor, 1e-6f, 0.5f);
  return model;
}

std::vector<SampleTargets> FindTargets(const PhasingContext& context, const WindowStudy& study, size_t begin,
                                       size_t end) {
  std::vector<SampleTargets> targets(end - begin);
  std::vector<DiploidSample> unphased;
  std::vector<uint64_t> unphased_samples;
  for (size_t s = begin; s < end; ++s) {
    if (HasPhase(study, s)) {
      targets[s - begin] = PhasedTargets(study, s);
    } else {
      unphased.push_back(DiploidOf(study, s));
      unphased_samples.push_back(s);
    }
  }
  const std::vector<PhaseDraws> draws = PhaseSamples(context, unphased, unphased_samples);
  for (size_t k = 0; k < unphased.size(); ++k) {
    KeepOrientation(study, unphased_samples[k], unphased[k]);
    targets[unphased_samples[k] - begin] = TargetsOf(unphased[k], draws[k], context.options.alternatives);
  }
  return targets;
}

}  // namespace haplospin
