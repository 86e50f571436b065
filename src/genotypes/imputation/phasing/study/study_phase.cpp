#include "genotypes/imputation/phasing/study/study_phase.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "genotypes/imputation/copying/copying_states.h"
#include "genotypes/imputation/phasing/sample/sample_genotypes.h"
#include "genotypes/imputation/phasing/study/window_phaser.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr double kMinAlternativeShare = 0.12;  // share of the draws that must differ at an ambiguous heterozygote
constexpr size_t kMaxGap = 1;                  // most heterozygotes between two ambiguous ones of a stretch

// Heterozygotes [begin, end) whose phase with the one before is ambiguous.
struct Stretch {
  size_t begin;
  size_t end;
};

std::vector<Stretch> AmbiguousStretches(const std::vector<bool>& most_probable,
                                        std::span<const std::vector<bool>> draws) {
  std::vector<Stretch> stretches;
  for (size_t h = 1; h < most_probable.size(); ++h) {
    const auto differ = std::ranges::count_if(draws, [&](const auto& draw) { return draw[h] != most_probable[h]; });
    if (static_cast<double>(differ) < kMinAlternativeShare * static_cast<double>(draws.size())) continue;
    if (stretches.empty() || h > stretches.back().end + kMaxGap) {
      stretches.push_back({h, h + 1});
    } else {
      stretches.back().end = h + 1;
    }
  }
  return stretches;
}

using Pattern = std::vector<bool>;

Pattern StretchPattern(const std::vector<bool>& cis, const Stretch& stretch) {
  return {cis.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
          cis.begin() + static_cast<std::ptrdiff_t>(stretch.end)};
}

// Returns the patterns of the draws other than `most_probable`, the most frequent first.
std::vector<std::pair<Pattern, float>> OtherPatterns(const Pattern& most_probable,
                                                     std::span<const std::vector<bool>> draws, const Stretch& stretch) {
  std::map<Pattern, float> counts;
  for (const std::vector<bool>& draw : draws) ++counts[StretchPattern(draw, stretch)];
  counts.erase(most_probable);
  std::vector<std::pair<Pattern, float>> others(counts.begin(), counts.end());
  std::ranges::stable_sort(others, [](const auto& a, const auto& b) { return a.second > b.second; });
  return others;
}

// Returns the sample with another phase, in either orientation.
SampleGenotypes WithCis(const SampleGenotypes& sample, const std::vector<bool>& cis) {
  SampleGenotypes other = sample;
  SetCis(cis, other);
  return other;
}

// Returns whether `version` is exchanged, relative to `sample`, at the heterozygote nearest to each interval:
// [intervals].
std::vector<bool> SwappedIntervals(const SampleGenotypes& sample, const SampleGenotypes& version) {
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

std::vector<TargetHaplotype> Haplotypes(const SampleGenotypes& sample) {
  std::vector<TargetHaplotype> haplotypes;
  for (uint32_t c = 0; c < sample.ploidy; ++c) haplotypes.emplace_back(sample.alleles[c]);
  return haplotypes;
}

// Returns SampleTargets::alt_probability: [ploidy][typed]. `imputed` is [haplotype][missing].
std::vector<std::vector<float>> AltProbabilities(const SampleGenotypes& phased,
                                                 const std::array<std::vector<float>, 2>& imputed) {
  std::vector<std::vector<float>> result;
  for (uint32_t c = 0; c < phased.ploidy; ++c) {
    std::vector<float>& row = result.emplace_back(phased.alleles[c].begin(), phased.alleles[c].end());
    for (size_t k = 0; k < phased.missing.size(); ++k) {
      if (phased.alleles[c][phased.missing[k]] == kMissingAllele) row[phased.missing[k]] = imputed[c][k];
    }
  }
  return result;
}

TargetHaplotype GivenTarget(const WindowStudy& study, size_t haplotype) {
  std::vector<uint8_t> alleles(study.typed.size());
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = (*study.rows[j])[haplotype];
  return TargetHaplotype(std::move(alleles));
}

SampleTargets PhasedTargets(const WindowStudy& study, size_t sample) {
  PhaseVersion given;
  for (uint32_t h = study.samples->first_haplotype[sample]; h < study.samples->first_haplotype[sample + 1]; ++h) {
    given.haplotypes.push_back(GivenTarget(study, h));
  }
  return {.versions = {std::move(given)}};
}

// Returns the weight of an alternative between the heterozygotes around each interval: [intervals].
std::vector<float> IntervalWeights(const SampleGenotypes& sample, const std::vector<float>& weight) {
  std::vector<float> result(sample.alleles[0].size() + 1);
  size_t h = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    while (h < sample.hets.size() && sample.hets[h] < i) ++h;
    result[i] = weight[h];
  }
  return result;
}

// Returns SampleTargets::phase_probability: [typed].
std::vector<float> PhaseProbabilities(const SampleGenotypes& phased, std::span<const float> cis_probability) {
  std::vector<float> result(phased.alleles[0].size());
  const std::vector<bool> cis = CisPhase(phased);
  for (size_t h = 1; h < cis.size(); ++h) {
    if (phased.IsGiven(h) && phased.ContinuesSet(h - 1)) continue;
    result[phased.hets[h]] = cis[h] ? cis_probability[h] : 1 - cis_probability[h];
  }
  return result;
}

// Returns the samples of the range that are to be phased, and those with missing alleles if these are imputed.
std::vector<size_t> SamplesToFind(const WindowStudy& study, bool imputes_missing, SampleRange range) {
  std::vector<size_t> samples;
  for (size_t s = range.begin; s < range.end; ++s) {
    if (!HasPhase(study, s) || (imputes_missing && HasMissing(study, s))) samples.push_back(s);
  }
  return samples;
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

std::vector<PhaseAlternative> FindAlternatives(const std::vector<bool>& most_probable,
                                               std::span<const std::vector<bool>> draws,
                                               const AlternativeOptions& options) {
  const std::vector<Stretch> stretches = AmbiguousStretches(most_probable, draws);
  const size_t places = most_probable.size() + 1;
  std::vector<PhaseAlternative> alternatives(stretches.empty() ? 1 : options.count + 1, {most_probable, {}});
  for (size_t a = 0; a < alternatives.size(); ++a) alternatives[a].weight.assign(places, a == 0 ? 1.0f : 0.0f);
  size_t first_place = 0;
  for (size_t k = 0; k < stretches.size(); ++k) {
    const Stretch& stretch = stretches[k];
    const size_t middle = k + 1 < stretches.size() ? (stretch.end + stretches[k + 1].begin) / 2 : places;
    const size_t last_place = std::min(middle, stretch.end + options.reach);
    first_place = stretch.begin > options.reach ? std::max(first_place, stretch.begin - options.reach) : first_place;
    auto others = OtherPatterns(StretchPattern(most_probable, stretch), draws, stretch);
    float all = 0, kept = 0;
    for (const auto& other : others) all += other.second;
    others.resize(std::min(others.size(), options.count));
    for (const auto& other : others) kept += other.second;
    const float share = others.empty() ? 0 : all / static_cast<float>(draws.size());
    for (size_t a = 0; a <= others.size(); ++a) {
      const float weight = a == 0 ? 1 - share : share * others[a - 1].second / kept;
      std::fill(alternatives[a].weight.begin() + static_cast<std::ptrdiff_t>(first_place),
                alternatives[a].weight.begin() + static_cast<std::ptrdiff_t>(last_place), weight);
      if (a > 0) {
        std::copy(others[a - 1].first.begin(), others[a - 1].first.end(),
                  alternatives[a].cis.begin() + static_cast<std::ptrdiff_t>(stretch.begin));
      }
    }
    first_place = middle;
  }
  return alternatives;
}

bool AreHaplotypesGiven(const WindowStudy& study) {
  if (!study.IsPhased() || study.HasLikelihoods()) return false;
  for (size_t s = 0; s < study.samples->num_samples(); ++s) {
    if (!HasPhase(study, s)) return false;
  }
  return true;
}

std::vector<SampleTargets> GivenTargets(const WindowStudy& study, size_t begin, size_t end) {
  std::vector<SampleTargets> targets;
  for (size_t s = begin; s < end; ++s) targets.push_back(PhasedTargets(study, s));
  return targets;
}

StudyPhaser::Group::Group(const StudyPhaser& of, SampleRange range)
    : range(range),
      found(SamplesToFind(of.study_, !of.estimates_ || of.study_.HasLikelihoods(), range)),
      phased(of.Phase(range, found)) {}

StudyPhaser::StudyPhaser(const PanelWindow& window, std::optional<PanelEstimates> estimates, const WindowStudy& study,
                         const PhasingOptions& options, double work)
    : window_(window),
      estimates_(std::move(estimates)),
      study_(study),
      options_(options),
      work_(work),
      num_groups_(NumGroups(window, study, options.max_group)) {}

PhasedSamples StudyPhaser::Phase(const SampleRange& range, const std::vector<size_t>& index) const {
  if (!estimates_) return PhaseCohort(window_, study_, options_.seed, work_, index, range);
  const bool copy_each_other = num_groups_ > 0;
  const bool imputes_missing = copy_each_other || study_.HasLikelihoods();
  WindowPhaser phaser(window_, estimates_, study_, options_.seed, work_, ReadGenotypes(study_, index, imputes_missing),
                      index, copy_each_other ? std::optional(range) : std::nullopt);
  phaser.FindPhase();
  std::vector<PhaseDraws> draws;
  phaser.Draw(draws);
  std::vector<PhasePosterior> posterior = phaser.SetMostProbable(std::move(draws));
  return {phaser.samples(), std::move(posterior), phaser.model(), phaser.TakeReference()};
}

// Returns the group of a batch. The sizes of groups differ by at most a batch.
SampleRange StudyPhaser::GroupRange(size_t begin, size_t end) const {
  if (num_groups_ == 0) return {begin, end};
  const size_t batches = NumBatches(study_);
  const size_t group = ((begin / kSamplesAtATime + 1) * num_groups_ - 1) / batches;
  const auto first_of = [&](size_t g) { return g * batches / num_groups_ * kSamplesAtATime; };
  return {first_of(group), std::min(first_of(group + 1), study_.samples->num_samples())};
}

std::vector<SampleTargets> StudyPhaser::FindTargets(size_t begin, size_t end) {
  const SampleRange range = GroupRange(begin, end);
  HS_ASSERT(range.begin <= begin && end <= range.end);
  if (!group_ || group_->range.begin != range.begin || group_->range.end != range.end) {
    group_.emplace(*this, range);
  }
  std::vector<SampleTargets> targets;
  const std::vector<size_t>& found = group_->found;
  auto k = static_cast<size_t>(std::ranges::lower_bound(found, begin) - found.begin());
  for (size_t s = begin; s < end; ++s) {
    const bool is_found = k < found.size() && found[k] == s;
    targets.push_back(is_found ? FoundTargets(*group_, k++) : PhasedTargets(study_, s));
  }
  return targets;
}

SampleTargets StudyPhaser::FoundTargets(const Group& group, size_t k) const {
  SampleGenotypes phased = group.phased.samples[k];
  const PhasePosterior& posterior = group.phased.posterior[k];
  std::array<std::vector<float>, 2> imputed = posterior.alt;
  if (KeepOrientation(study_, group.found[k], phased)) std::swap(imputed[0], imputed[1]);
  SampleTargets targets{.versions = {}, .phase_probability = PhaseProbabilities(phased, posterior.cis_probability)};
  if (!phased.missing.empty()) targets.alt_probability = AltProbabilities(phased, imputed);
  for (const PhaseAlternative& alternative : FindAlternatives(CisPhase(phased), posterior.cis, AlternativeOptions())) {
    const SampleGenotypes version = WithCis(phased, alternative.cis);
    targets.versions.push_back(
        {Haplotypes(version), SwappedIntervals(phased, version), IntervalWeights(phased, alternative.weight)});
  }
  return targets;
}

}  // namespace haplospin
