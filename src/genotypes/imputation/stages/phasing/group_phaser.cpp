#include "genotypes/imputation/stages/phasing/group_phaser.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "genotypes/imputation/stages/phasing/hidden_genotypes.h"
#include "genotypes/imputation/stages/phasing/identical_stretches.h"
#include "genotypes/imputation/stages/phasing/marker_facts.h"
#include "genotypes/imputation/stages/phasing/rare_alleles.h"
#include "genotypes/imputation/stages/phasing/scaffold.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

std::vector<SampleGenotypes> PlacedGenotypes(std::span<const PlacedSample> placed) {
  std::vector<SampleGenotypes> samples;
  samples.reserve(placed.size());
  for (const PlacedSample& sample : placed) samples.push_back(sample.sample);
  return samples;
}

// Returns the probabilities of ALT at all missing genotypes of a sample: those of `draws` at `markers`, which has the
// missing genotypes of `scaffold`, and frequencies elsewhere.
std::array<std::vector<float>, 2> AltAtAllMarkers(const PhasePosterior& draws, const SampleGenotypes& scaffold,
                                                  std::span<const uint32_t> markers, const SampleGenotypes& sample,
                                                  std::span<const float> frequency) {
  std::array<std::vector<float>, 2> all;
  size_t next = 0;  // missing genotype of the scaffold
  for (const uint32_t j : sample.missing) {
    const bool is_common = next < scaffold.missing.size() && markers[scaffold.missing[next]] == j;
    for (size_t c = 0; c < 2; ++c) all[c].push_back(is_common ? draws.alt[c][next] : frequency[j]);
    next += is_common ? 1 : 0;
  }
  return all;
}

// Returns the draws of a sample at all markers from those at `markers`, where its phase is that of `scaffold`. A rare
// allele goes with the heterozygote of the scaffold before it.
PhasePosterior PosteriorAtAllMarkers(const PhasePosterior& draws, const SampleGenotypes& scaffold,
                                     std::span<const uint32_t> markers, const PlacedSample& placed,
                                     std::span<const float> frequency) {
  const std::vector<bool> cis = CisPhase(placed.sample), scaffold_cis = CisPhase(scaffold);
  PhasePosterior all{.cis_probability = std::vector<float>(cis.size()),
                     .cis = std::vector<std::vector<bool>>(draws.cis.size(), cis),
                     .alt = AltAtAllMarkers(draws, scaffold, markers, placed.sample, frequency)};
  size_t next = 0;  // heterozygote of the scaffold
  for (size_t h = 0; h < cis.size(); ++h) {
    const bool is_common = next < scaffold.hets.size() && markers[scaffold.hets[next]] == placed.sample.hets[h];
    // The probability that both heterozygotes have the right phase relative to each other.
    float right = h == 0 ? 1
                         : placed.certainty[h] * placed.certainty[h - 1] +
                               (1 - placed.certainty[h]) * (1 - placed.certainty[h - 1]);
    if (is_common && next > 0) {
      const float p = scaffold_cis[next] ? draws.cis_probability[next] : 1 - draws.cis_probability[next];
      right = right * p + (1 - right) * (1 - p);
      for (size_t d = 0; d < draws.cis.size(); ++d) {
        if (draws.cis[d][next] != scaffold_cis[next]) all.cis[d][h] = !cis[h];
      }
    }
    next += is_common ? 1 : 0;
    if (h > 0) all.cis_probability[h] = cis[h] ? right : 1 - right;
  }
  return all;
}

// The typed markers of a group that take part in the draws, those of its first haplotypes among them, and how its
// samples are phased there.
class GroupPhaser {
 public:
  // `study` is as the samples are phased: genotypes may be hidden in it. All must outlive the object.
  GroupPhaser(const PanelWindow& window, const PanelEstimates* estimates, const WindowStudy& study,
              const PhasingPlan& plan, const SampleGroup& group)
      : window_(window), estimates_(estimates), study_(study), plan_(plan), group_(group) {
    if (plan.scaffold) {
      shared_ = MakeScaffold(window, study, plan.scaffold->shared);
      frequent_ = MakeScaffold(SharedWindow(), SharedStudy(), plan.scaffold->frequent);
    }
    schedule_ = MakeSchedule(plan, {.samples = group.range.end - group.range.begin,
                                    .panel_haplotypes = plan.copies_each_other ? 0 : window.panel().num_haplotypes(),
                                    .frequent = Measure(FrequentWindow(), FrequentStudy()),
                                    .shared = Measure(SharedWindow(), SharedStudy())});
    if (!plan.excludes_others && plan.copies_incomplete) return;
    const std::vector<SampleGenotypes> samples = ReadGenotypes(FrequentStudy(), group.index, plan.imputes_missing);
    if (!plan.copies_incomplete) std::ranges::transform(samples, std::back_inserter(is_left_out_), IsIncomplete);
    if (plan.excludes_others) {
      identical_ = FindIdenticalStretches(samples, TypedCentimorgans(FrequentWindow()), is_left_out_);
    }
  }

  // Returns the samples after the draws of all chains, which it adds to `draws`.
  PhasedHaplotypes Phase(uint64_t seed, double work, std::span<PhaseDraws> draws) const;

  // Takes the samples from `phased`, and returns them at all markers. What the draws tell becomes that of all markers.
  std::vector<SampleGenotypes> PlaceOthers(PhasedHaplotypes& phased, std::span<PhasePosterior> posterior) const;

  std::vector<uint32_t> SharedMarkers() const;

 private:
  std::vector<SampleGenotypes> FindFirst(PhasingTask task, std::span<PhaseDraws> draws) const;

  const PanelWindow& SharedWindow() const { return shared_ ? shared_->window : window_; }
  const WindowStudy& SharedStudy() const { return shared_ ? shared_->study : study_; }
  const PanelWindow& FrequentWindow() const { return frequent_ ? frequent_->window : SharedWindow(); }
  const WindowStudy& FrequentStudy() const { return frequent_ ? frequent_->study : SharedStudy(); }

  MarkerFacts Measure(const PanelWindow& window, const WindowStudy& study) const {
    return MeasureMarkers(window, study, group_, plan_.imputes_missing);
  }

  const PanelWindow& window_;
  const PanelEstimates* const estimates_;
  const WindowStudy& study_;
  const PhasingPlan& plan_;
  const SampleGroup& group_;
  std::unique_ptr<const Scaffold> shared_, frequent_;  // null where they have all markers
  PhasingSchedule schedule_;
  std::vector<bool> is_left_out_;                         // [index] not copied by the others; empty: all are copied
  std::vector<std::vector<IdenticalStretch>> identical_;  // [index] at the frequent markers; empty if none is excluded
};

// The haplotypes that the samples copied are released before the draws begin.
std::vector<SampleGenotypes> GroupPhaser::FindFirst(PhasingTask task, std::span<PhaseDraws> draws) const {
  std::vector<SampleGenotypes> unphased = ReadGenotypes(FrequentStudy(), group_.index, plan_.imputes_missing);
  if (unphased.empty()) return unphased;
  PhasedHaplotypes found = FindHaplotypes(task, std::move(unphased), draws);
  if (!frequent_) return std::move(found.samples);
  return PlacedGenotypes(PlaceRareAlleles(SharedStudy(), *frequent_, found, group_));
}

PhasedHaplotypes GroupPhaser::Phase(uint64_t seed, double work, std::span<PhaseDraws> draws) const {
  std::optional<PhasedHaplotypes> phased;
  for (size_t chain = 0; chain < schedule_.chains; ++chain) {
    phased.reset();
    std::vector<SampleGenotypes> start =
        FindFirst({FrequentWindow(), estimates_, FrequentStudy(), group_, plan_, schedule_, schedule_.frequent, seed,
                   work, is_left_out_, chain, identical_},
                  draws);
    phased = DrawHaplotypes({SharedWindow(), estimates_, SharedStudy(), group_, plan_, schedule_, schedule_.shared,
                             seed, work, is_left_out_, chain},
                            std::move(start), draws);
  }
  return std::move(*phased);
}

std::vector<SampleGenotypes> GroupPhaser::PlaceOthers(PhasedHaplotypes& phased,
                                                      std::span<PhasePosterior> posterior) const {
  if (!shared_) return std::move(phased.samples);
  const std::vector<PlacedSample> placed = PlaceRareAlleles(study_, *shared_, phased, group_);
  const std::vector<float> frequency = AltFrequencies(study_);
  for (size_t k = 0; k < placed.size(); ++k) {
    posterior[k] = PosteriorAtAllMarkers(posterior[k], phased.samples[k], shared_->markers, placed[k], frequency);
  }
  return PlacedGenotypes(placed);
}

std::vector<uint32_t> GroupPhaser::SharedMarkers() const {
  if (shared_) return shared_->markers;
  std::vector<uint32_t> all(study_.num_typed());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

PhasedSamples PhaseGroup(const PanelWindow& window, const PanelEstimates* estimates, const WindowStudy& study,
                         const PhasingPlan& plan, const SampleGroup& group, uint64_t seed, double work) {
  std::optional<HiddenGenotypes> hidden;
  if (plan.hides_genotypes) hidden.emplace(study, group.index, seed);
  const GroupPhaser phaser(window, estimates, hidden ? hidden->study() : study, plan, group);
  std::vector<PhaseDraws> draws(group.index.size());
  PhasedHaplotypes phased = phaser.Phase(seed, work, draws);
  std::vector<PhasePosterior> posterior;
  for (size_t k = 0; k < draws.size(); ++k) {
    posterior.push_back(SetMostProbablePhase(std::move(draws[k]), phased.samples[k]));
  }
  if (hidden) {
    const double power = hidden->OddsPower(phaser.SharedMarkers(), phased.samples, posterior);
    for (PhasePosterior& sample : posterior) SharpenOdds(power, sample);
  }
  std::vector<SampleGenotypes> samples = phaser.PlaceOthers(phased, posterior);
  if (hidden) hidden->Restore(posterior, samples);
  return {std::move(samples), std::move(posterior), std::move(phased.model), std::move(phased.reference)};
}

}  // namespace haplospin
