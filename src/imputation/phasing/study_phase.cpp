#include "imputation/phasing/study_phase.h"

#include <algorithm>
#include <span>
#include <utility>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_states.h"
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

std::vector<size_t> UnphasedSamples(const WindowStudy& study, SampleRange range) {
  std::vector<size_t> samples;
  for (size_t s = range.begin; s < range.end; ++s) {
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

size_t NumBatches(const WindowStudy& study) {
  return (study.samples->num_samples() + kSamplesAtATime - 1) / kSamplesAtATime;
}

// Returns the number of groups of samples that copy each other; 0 if samples do not copy each other.
size_t NumGroups(const PanelWindow& window, const WindowStudy& study, size_t max_group) {
  if (study.samples->num_haplotypes() < window.panel().num_haplotypes()) return 0;
  const size_t max_batches = std::max<size_t>(1, max_group / kSamplesAtATime);
  return (NumBatches(study) + max_batches - 1) / max_batches;
}

}  // namespace

StudyPhaser::Group::Group(const StudyPhaser& of, SampleRange range)
    : range(range),
      unphased(UnphasedSamples(of.study_, range)),
      phaser(of.window_, of.study_, of.options_.seed, of.work_, DiploidSamplesOf(of.study_, unphased), unphased,
             of.num_groups_ > 0 ? std::optional(range) : std::nullopt),
      draws(phaser.Run()) {}

StudyPhaser::StudyPhaser(const PanelWindow& window, const WindowStudy& study, const PhasingOptions& options,
                         double work)
    : window_(window),
      study_(study),
      options_(options),
      work_(work),
      num_groups_(NumGroups(window, study, options.max_group)) {}

// Their sizes differ by no more than a batch.
SampleRange StudyPhaser::GroupOf(size_t begin, size_t end) const {
  if (num_groups_ == 0) return {begin, end};
  const size_t batches = NumBatches(study_);
  const size_t group = ((begin / kSamplesAtATime + 1) * num_groups_ - 1) / batches;
  const auto first_of = [&](size_t g) { return g * batches / num_groups_ * kSamplesAtATime; };
  return {first_of(group), std::min(first_of(group + 1), study_.samples->num_samples())};
}

std::vector<SampleTargets> StudyPhaser::FindTargets(size_t begin, size_t end) {
  const SampleRange range = GroupOf(begin, end);
  HS_ASSERT(range.begin <= begin && end <= range.end);
  if (!group_ || group_->range.begin != range.begin || group_->range.end != range.end) {
    group_.emplace(*this, range);
  }
  std::vector<SampleTargets> targets;
  const std::vector<size_t>& unphased = group_->unphased;
  auto k = static_cast<size_t>(std::ranges::lower_bound(unphased, begin) - unphased.begin());
  for (size_t s = begin; s < end; ++s) {
    const bool is_unphased = k < unphased.size() && unphased[k] == s;
    targets.push_back(is_unphased ? TargetsOf(*group_, k++) : PhasedTargets(study_, s));
  }
  return targets;
}

SampleTargets StudyPhaser::TargetsOf(const Group& group, size_t k) const {
  DiploidSample phased = group.phaser.samples()[k];
  KeepOrientation(study_, group.unphased[k], phased);
  const PhaseDraws& draws = group.draws[k];
  SampleTargets targets{.versions = {}, .phase_probability = PhaseProbabilities(phased, draws.cis_probability)};
  for (const PhaseAlternative& alternative : FindAlternatives(CisOf(phased), draws.cis, AlternativeOptions())) {
    const DiploidSample version = WithCis(phased, alternative.cis);
    targets.versions.push_back(
        {Haplotypes(version), SwappedIntervals(phased, version), IntervalWeights(phased, alternative.weight)});
  }
  return targets;
}

}  // namespace haplospin
