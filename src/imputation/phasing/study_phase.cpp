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
  PhaseVersion given;
  for (uint32_t h = study.samples->first_haplotype[sample]; h < study.samples->first_haplotype[sample + 1]; ++h) {
    given.haplotypes.push_back(TargetOf(study, h));
  }
  return {.versions = {std::move(given)}};
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

std::vector<size_t> UnphasedSamples(const WindowStudy& study, size_t begin, size_t end) {
  std::vector<size_t> samples;
  for (size_t s = begin; s < end; ++s) {
    if (!HasPhase(study, s)) samples.push_back(s);
  }
  return samples;
}

std::vector<DiploidSample> DiploidSamplesOf(const WindowStudy& study, const std::vector<size_t>& samples) {
  std::vector<DiploidSample> result;
  result.reserve(samples.size());
  for (const size_t s : samples) result.push_back(DiploidOf(study, s));
  return result;
}

bool CopyEachOther(const PhasingContext& context, const WindowStudy& study) {
  const auto panel = static_cast<double>(context.panel.num_haplotypes());
  return static_cast<double>(study.samples->num_haplotypes()) >= context.options.min_study_share * panel;
}

}  // namespace

StudyPhaser::Group::Group(const PhasingContext& context, const WindowStudy& study, size_t begin, size_t end,
                          bool copy_each_other)
    : samples(UnphasedSamples(study, begin, end)),
      phaser(context, study, DiploidSamplesOf(study, samples), samples, copy_each_other),
      draws(phaser.Run()) {}

StudyPhaser::StudyPhaser(const PhasingContext& context, const WindowStudy& study) : context_(context), study_(study) {
  if (CopyEachOther(context, study)) {
    together_.emplace(context, study, 0, study.samples->num_samples(), true);
  } else {
    reference_.emplace(*context.array);
    model_ = WithRates(context.options.rates, *context.model, context.copying);
  }
}

std::vector<SampleTargets> StudyPhaser::FindTargets(size_t begin, size_t end) {
  std::optional<Group> some;
  if (!together_) some.emplace(context_, study_, begin, end, false);
  const Group& group = together_ ? *together_ : *some;
  std::vector<SampleTargets> targets;
  auto k = static_cast<size_t>(std::ranges::lower_bound(group.samples, begin) - group.samples.begin());
  for (size_t s = begin; s < end; ++s) {
    const bool is_unphased = k < group.samples.size() && group.samples[k] == s;
    targets.push_back(is_unphased ? TargetsOf(group, k++) : PhasedTargets(study_, s));
  }
  return targets;
}

SampleTargets StudyPhaser::TargetsOf(const Group& group, size_t k) const {
  DiploidSample phased = group.phaser.samples()[k];
  KeepOrientation(study_, group.samples[k], phased);
  const PhaseDraws& draws = group.draws[k];
  SampleTargets targets{.versions = {}, .phase_probability = PhaseProbabilities(phased, draws.cis_probability)};
  for (const PhaseAlternative& alternative :
       FindAlternatives(CisOf(phased), draws.cis, context_.options.alternatives)) {
    const DiploidSample version = WithCis(phased, alternative.cis);
    targets.versions.push_back(
        {Haplotypes(version), SwappedIntervals(phased, version), IntervalWeights(phased, alternative.weight)});
  }
  return targets;
}

}  // namespace haplospin
