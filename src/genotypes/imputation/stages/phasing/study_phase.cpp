#include "genotypes/imputation/stages/phasing/study_phase.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/marker_facts.h"
#include "genotypes/imputation/stages/phasing/phase_alternatives.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

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

// Returns the sample with another phase, in either orientation. The known allele of a half-missing genotype goes with
// the heterozygote next to it.
SampleGenotypes WithCis(const SampleGenotypes& sample, const std::vector<bool>& cis) {
  SampleGenotypes other = sample;
  SetCis(cis, other);
  const std::vector<bool> swapped = SwappedIntervals(sample, other);
  for (const uint32_t j : sample.missing) {
    if (swapped[j]) std::swap(other.alleles[0][j], other.alleles[1][j]);
  }
  return other;
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
  std::vector<uint8_t> alleles(study.num_typed());
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = study.alleles(j)[haplotype];
  return TargetHaplotype(std::move(alleles));
}

SampleTargets PhasedTargets(const WindowStudy& study, size_t sample) {
  PhaseVersion given;
  for (uint32_t h = study.samples().first_haplotype[sample]; h < study.samples().first_haplotype[sample + 1]; ++h) {
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

bool IsGiven(const PhasingPlan& plan, const WindowStudy& study, size_t sample) {
  return HasPhase(study, sample) && !(plan.imputes_phased && HasMissing(study, sample));
}

// Returns the samples of a range that are to be phased and, if the plan imputes them, those with missing alleles.
SampleGroup MakeGroup(const WindowStudy& study, const PhasingPlan& plan, SampleRange range) {
  SampleGroup group{.range = range, .index = {}};
  for (size_t s = range.begin; s < range.end; ++s) {
    if (!IsGiven(plan, study, s)) group.index.push_back(s);
  }
  return group;
}

PhasingPlan MakePlan(const PanelWindow& window, const WindowStudy& study, const PhasingOptions& options) {
  PhasingPlan plan = options.plan({.study_haplotypes = study.samples().num_haplotypes(),
                                   .panel_haplotypes = window.panel().num_haplotypes(),
                                   .gap = MeanGap(window, study.typed())});
  plan.is_rough = options.has_families && FamilyRefinement::HasAny(study);
  return plan;
}

size_t NumBatches(const WindowStudy& study) {
  return (study.samples().num_samples() + kSamplesAtATime - 1) / kSamplesAtATime;
}

}  // namespace

bool IsPhased(const WindowStudy& study) {
  for (size_t s = 0; s < study.samples().num_samples(); ++s) {
    if (!HasPhase(study, s)) return false;
  }
  return true;
}

std::vector<SampleTargets> GivenTargets(const WindowStudy& study, size_t begin, size_t end) {
  std::vector<SampleTargets> targets;
  for (size_t s = begin; s < end; ++s) targets.push_back(PhasedTargets(study, s));
  return targets;
}

StudyPhaser::Group::Group(const StudyPhaser& phaser, SampleRange range)
    : samples(MakeGroup(phaser.study_, phaser.plan_, range)),
      phased(PhaseGroup(phaser.window_, phaser.estimates_ ? &*phaser.estimates_ : nullptr, phaser.study_, phaser.plan_,
                        samples, phaser.options_.seed, phaser.work_)) {
  if (!phaser.options_.has_families) return;
  targets = phaser.Targets(*this, range.begin, range.end);
  const std::vector<SampleTargets> alone = phaser.options_.finds_animals ? targets : std::vector<SampleTargets>();
  const auto find = [&](std::span<const SampleTargets> each, FamilyPart part) {
    return FamilyRefinement(phaser.study_, TypedCentimorgans(phaser.window_), phaser.options_.seed, each, part);
  };
  const FamilyRefinement families = find(targets, FamilyPart::kSamples);
  if (families.HasAny()) families.Refine(phaser.PhaseFounders(families), targets);
  if (!phaser.options_.finds_animals) return;
  const FamilyRefinement relatives = find(alone, FamilyPart::kAnimals);
  if (relatives.HasAny()) animals = relatives.FindAnimals(phaser.PhaseFounders(relatives), targets);
}

// Phases the founders of families again, with what these tell.
std::vector<SampleTargets> StudyPhaser::PhaseFounders(const FamilyRefinement& families) const {
  PhasingOptions options = options_;
  options.has_families = options.finds_animals = false;
  return StudyPhaser(window_, estimates_, families.founders(), options, 0).FindAllTargets();
}

StudyPhaser::StudyPhaser(const PanelWindow& window, std::optional<PanelEstimates> estimates, const WindowStudy& study,
                         const PhasingOptions& options, double work)
    : window_(window),
      estimates_(std::move(estimates)),
      study_(study),
      options_(options),
      work_(work),
      plan_(MakePlan(window, study, options)) {
  HS_ASSERT(plan_.copies_panel == estimates_.has_value());
}

// Returns the samples that are phased with those of a batch. The sizes of groups that copy each other differ by at most
// a batch. Families are phased with all others.
SampleRange StudyPhaser::GroupRange(size_t begin, size_t end) const {
  if (options_.has_families) return {0, study_.samples().num_samples()};
  if (!plan_.copies_each_other) return {begin, end};
  const size_t max_group = std::min(options_.max_group, plan_.max_group);
  const size_t batches = NumBatches(study_), max_batches = std::max<size_t>(1, max_group / kSamplesAtATime);
  const size_t groups = (batches + max_batches - 1) / max_batches;
  const size_t group = ((begin / kSamplesAtATime + 1) * groups - 1) / batches;
  const auto first = [&](size_t g) { return g * batches / groups * kSamplesAtATime; };
  return {first(group), std::min(first(group + 1), study_.samples().num_samples())};
}

std::vector<SampleTargets> StudyPhaser::FindTargets(size_t begin, size_t end) {
  const SampleRange range = GroupRange(begin, end);
  HS_ASSERT(range.begin <= begin && end <= range.end);
  if (!group_ || group_->samples.range.begin != range.begin || group_->samples.range.end != range.end) {
    group_.emplace(*this, range);
  }
  if (group_->targets.empty()) return Targets(*group_, begin, end);
  const auto first = group_->targets.begin();
  return {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)};
}

std::vector<SampleTargets> StudyPhaser::FindAllTargets() {
  std::vector<SampleTargets> targets;
  const size_t count = study_.samples().num_samples();
  for (size_t begin = 0; begin < count; begin += kSamplesAtATime) {
    std::ranges::move(FindTargets(begin, std::min(begin + kSamplesAtATime, count)), std::back_inserter(targets));
  }
  return targets;
}

std::vector<SampleTargets> StudyPhaser::Targets(const Group& group, size_t begin, size_t end) const {
  std::vector<SampleTargets> targets;
  const std::vector<size_t>& found = group.samples.index;
  auto k = static_cast<size_t>(std::ranges::lower_bound(found, begin) - found.begin());
  for (size_t s = begin; s < end; ++s) {
    const bool is_found = k < found.size() && found[k] == s;
    targets.push_back(is_found ? FoundTargets(group, k++) : PhasedTargets(study_, s));
  }
  return targets;
}

SampleTargets StudyPhaser::FoundTargets(const Group& group, size_t k) const {
  SampleGenotypes phased = group.phased.samples[k];
  const PhasePosterior& posterior = group.phased.posterior[k];
  std::array<std::vector<float>, 2> imputed = posterior.alt;
  if (KeepOrientation(study_, group.samples.index[k], phased)) std::swap(imputed[0], imputed[1]);
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
