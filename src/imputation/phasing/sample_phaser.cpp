#include "imputation/phasing/sample_phaser.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr int kPhaseMixtureRounds = 16;         // of expectation-maximization
constexpr float kMinWindowCentimorgans = 0.1f;  // of a window
constexpr float kEvenPrior = 0.1f;              // share of the prior that does not depend on populations

PopulationMixture EvenMixture() {
  PopulationMixture mixture;
  mixture.fill(1.0f / kNumPopulations);
  return mixture;
}

// The more probable phase of each two neighbors. Between heterozygotes whose phase is given, where that is not
// possible, the least certain neighbors get the other one.
std::vector<bool> MostProbableCis(const DiploidSample& sample, std::span<const float> cis_probability) {
  std::vector<bool> cis(cis_probability.size());
  for (size_t h = 1; h < cis.size(); ++h) cis[h] = cis_probability[h] > 0.5f;
  DiploidSample phased = sample;
  SetCis(cis, phased);
  size_t given = SIZE_MAX;  // the last heterozygote of the same set whose phase is given
  const auto is_exchanged = [&](size_t h) {
    return phased.alleles[0][sample.hets[h]] != sample.alleles[0][sample.hets[h]];
  };
  for (size_t h = 0; h < cis.size(); ++h) {
    if (h > 0 && sample.can_switch_after[h - 1]) given = SIZE_MAX;
    if (sample.can_flip[h]) continue;
    if (given != SIZE_MAX && is_exchanged(h) != is_exchanged(given)) {
      size_t least = given + 1;
      for (size_t k = given + 2; k <= h; ++k) {
        if (std::abs(cis_probability[k] - 0.5f) < std::abs(cis_probability[least] - 0.5f)) least = k;
      }
      cis[least] = !cis[least];
    }
    given = h;
  }
  return cis;
}

}  // namespace

void SamplePhaser::FindFirstPhase(DiploidSample& sample, RandomStream random) {
  UseEvenlySpaced();
  sampler_.Start(states_, context_.model, sample, PairSampler::First::kHomozygotes);
  for (int k = 0; k < context_.options.first_sweeps; ++k) sampler_.Sweep(PairSampler::Choice::kBest, random);
}

PopulationMixture SamplePhaser::FindPopulations(DiploidSample& sample, std::span<const HaplotypeMatch> matches,
                                                RandomStream random) {
  composites_.UseComposites(context_.reference, matches, context_.options.states, {});
  SetStates(nullptr);
  sampler_.Start(states_, context_.model, sample, PairSampler::First::kPresentPhase);
  copied_.assign(context_.reference.num_haplotypes, 0);
  const int sweeps = context_.options.population_sweeps;
  for (int k = 0; k < sweeps; ++k) {
    sampler_.CountCopied(context_.populations != nullptr && k + 2 >= sweeps ? copied_.data() : nullptr);
    sampler_.Sweep(k + 2 < sweeps ? PairSampler::Choice::kBest : PairSampler::Choice::kDraw, random);
  }
  sampler_.CountCopied(nullptr);
  PopulationMixture mixture = EvenMixture();
  if (context_.populations == nullptr) return mixture;

  std::vector<uint32_t> people;
  std::vector<float> centimorgans;
  float total = 0;
  for (uint32_t h = 0; h < copied_.size(); ++h) {
    if (copied_[h] <= 0) continue;
    if (people.empty() || people.back() != context_.sample_of[h]) {
      people.push_back(context_.sample_of[h]);
      centimorgans.push_back(0);
    }
    centimorgans.back() += copied_[h];
    total += copied_[h];
  }
  if (!(total > 0)) return mixture;
  const std::span<const float> cm = context_.reference.centimorgans;
  const float length = 2 * std::max(cm.back() - cm.front(), kMinWindowCentimorgans);  // of both haplotypes
  for (float& centimorgans_of : centimorgans) centimorgans_of *= length / total;
  for (int k = 0; k < kPhaseMixtureRounds; ++k) context_.populations->Update(people, centimorgans, length, mixture);
  return mixture;
}

PhaseDraws SamplePhaser::Draw(DiploidSample& sample, std::span<const HaplotypeMatch> matches,
                              const PopulationMixture& mixture, RandomStream random) {
  const PhasingOptions& options = context_.options;
  composites_.UseComposites(context_.reference, matches, options.states, {});
  SetStates(&mixture);
  sampler_.Start(states_, context_.model, sample, PairSampler::First::kPresentPhase);
  for (int k = 0; k < options.burn_in; ++k) sampler_.Sweep(PairSampler::Choice::kDraw, random);

  PhaseDraws result;
  result.cis_probability.assign(sample.hets.size(), 0);
  const auto sweeps = static_cast<size_t>(options.sweeps);
  for (size_t k = 0; k < sweeps; ++k) {
    sampler_.Sweep(PairSampler::Choice::kDraw, random);
    for (size_t h = 0; h < sample.hets.size(); ++h) result.cis_probability[h] += sampler_.cis_probability()[h];
    result.cis.push_back(CisOf(sample));
  }
  for (float& p : result.cis_probability) p /= static_cast<float>(sweeps);
  SetCis(MostProbableCis(sample, result.cis_probability), sample);
  return result;
}

void SamplePhaser::UseEvenlySpaced() {
  const size_t n = context_.reference.num_haplotypes;
  const size_t count = std::min(context_.options.first_states, n);
  std::vector<HaplotypeMatch> all;
  all.reserve(count);
  for (size_t k = 0; k < count; ++k) {
    all.push_back({static_cast<uint32_t>(k * n / count), 0, static_cast<uint32_t>(context_.reference.num_markers)});
  }
  composites_.UseComposites(context_.reference, all, count, {});
  SetStates(nullptr);
}

// From the composites.
void SamplePhaser::SetStates(const PopulationMixture* mixture) {
  states_.bits = composites_.site_bits(0);
  states_.words = (composites_.size() + 63) / 64;
  states_.haplotype.clear();
  states_.changes.clear();
  for (uint32_t s = 0; s < composites_.size(); ++s) {
    const std::span<const StateSegment> segments = composites_.segments(s);
    states_.haplotype.push_back(segments[0].haplotype);
    for (const StateSegment& segment : segments.subspan(1)) {
      states_.changes.push_back({segment.begin, s, segment.haplotype, 1});
    }
  }
  states_.prior.assign(states_.haplotype.size(), 1);
  std::ranges::sort(states_.changes, {}, [](const StateChange& c) { return std::pair(c.marker, c.state); });
  if (mixture != nullptr && context_.populations != nullptr) SetPriors(*mixture);
}

void SamplePhaser::SetPriors(const PopulationMixture& mixture) {
  std::vector<uint32_t> people;
  people.reserve(states_.haplotype.size() + states_.changes.size());
  for (const uint32_t h : states_.haplotype) people.push_back(context_.sample_of[h]);
  for (const StateChange& change : states_.changes) people.push_back(context_.sample_of[change.haplotype]);
  std::vector<float> shares(people.size());
  context_.populations->Shares(people, mixture, shares);
  const auto prior = [&](size_t k) { return kEvenPrior + (1 - kEvenPrior) * shares[k]; };
  for (size_t s = 0; s < states_.size(); ++s) states_.prior[s] = prior(s);
  for (size_t k = 0; k < states_.changes.size(); ++k) states_.changes[k].prior = prior(states_.size() + k);
}

}  // namespace haplospin
