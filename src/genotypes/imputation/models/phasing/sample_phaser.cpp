#include "genotypes/imputation/models/phasing/sample_phaser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr int kPhaseMixtureRounds = 16;         // rounds of expectation-maximization
constexpr float kMinWindowCentimorgans = 0.1f;  // smallest length of a window for the mixture
constexpr float kEvenPrior = 0.1f;              // share of the prior that does not depend on populations

// Few reads of a sample leave open what it copies. With fewer than kFewKnown genotypes in a window, they tell little of
// its populations; if they are at a smaller share of the markers than kFewReads, the draws switch too often.
constexpr float kFewKnown = 2000, kFewReads = 0.25f, kMinSwitchFactor = 0.1f;

// Evenly spaced haplotypes that a sample may copy first, as many as there may be only if its genotypes with reads are
// at most this share of the markers: the more it has, the longer a sweep takes, and the fewer are needed.
constexpr double kFewFirstReads = 0.2;
constexpr size_t kEnoughEvenlySpaced = 512;

float EvenPrior(const SampleGenotypes& sample) {
  if (sample.is_passive.empty()) return kEvenPrior;
  return std::max(kEvenPrior, 1 - (1 - kEvenPrior) * static_cast<float>(sample.CountKnown()) / kFewKnown);
}

float SwitchFactor(const SampleGenotypes& sample) {
  if (sample.is_passive.empty()) return 1;
  const float share = static_cast<float>(sample.CountKnown()) / static_cast<float>(sample.alleles[0].size());
  return std::clamp(share / kFewReads, kMinSwitchFactor, 1.0f);
}

size_t EvenlySpacedCount(const SampleGenotypes& sample, const PhasingSources& sources) {
  size_t count = sources.max_states;
  if (!sample.is_passive.empty() && count > kEnoughEvenlySpaced) {
    const double share = static_cast<double>(sample.CountKnown()) / static_cast<double>(sample.alleles[0].size());
    const double factor = kFewFirstReads / std::max(share, kFewFirstReads);
    count = std::max(kEnoughEvenlySpaced, static_cast<size_t>(factor * static_cast<double>(count)));
  }
  return std::min(count, sources.haplotypes.num_haplotypes);
}

// Returns evenly spaced haplotypes other than `own`, as if they matched everywhere.
std::vector<HaplotypeMatch> EvenlySpaced(const HaplotypeRows& haplotypes, size_t count, const ExcludedHaplotypes& own) {
  const size_t n = haplotypes.num_haplotypes;
  std::vector<HaplotypeMatch> matches;
  matches.reserve(count);
  for (size_t k = 0; k < count; ++k) {
    const auto h = static_cast<uint32_t>(k * n / count);
    if (std::ranges::find(own.span(), h) != own.span().end()) continue;
    matches.push_back({h, 0, static_cast<uint32_t>(haplotypes.num_markers)});
  }
  return matches;
}

}  // namespace

void SamplePhaser::FindFirstPhase(SampleGenotypes& sample, const PhasingSources& sources, int sweeps,
                                  RandomStream random) {
  const size_t count = EvenlySpacedCount(sample, sources);
  composites_.Assign(sources.haplotypes, EvenlySpaced(sources.haplotypes, count, sources.own), count, sources.own,
                     sources.excluded_stretches);
  SetStates(sample, sources, nullptr);
  StartSampler(sample, sources, PairSampler::First::kHomozygotes);
  for (int k = 0; k < sweeps; ++k) Sweep(Choice::kBest, random);
  ImputeMissing(sample);
}

void SamplePhaser::Improve(SampleGenotypes& sample, const PhasingSources& sources, int sweeps, RandomStream random) {
  Start(sample, sources, nullptr);
  for (int k = 0; k < sweeps; ++k) Sweep(Choice::kDraw, random);
  ImputeMissing(sample);
}

PopulationMixture SamplePhaser::FindPopulations(SampleGenotypes& sample, const PhasingSources& sources, int sweeps,
                                                RandomStream random) {
  HS_ASSERT(populations_ != nullptr);
  Start(sample, sources, nullptr);
  copied_.assign(sources.haplotypes.num_haplotypes, 0);
  for (int k = 0; k < sweeps; ++k) {
    CountCopied(k + 2 >= sweeps ? copied_.data() : nullptr);
    Sweep(k + 2 < sweeps ? Choice::kBest : Choice::kDraw, random);
  }
  CountCopied(nullptr);
  PopulationMixture mixture = EvenMixture();
  std::vector<uint32_t> people;
  std::vector<float> centimorgans;
  float total = 0;
  const std::vector<uint32_t>& sample_of = populations_->sample_of();
  for (uint32_t h = 0; h < sample_of.size(); ++h) {
    if (copied_[h] <= 0) continue;
    if (people.empty() || people.back() != sample_of[h]) {
      people.push_back(sample_of[h]);
      centimorgans.push_back(0);
    }
    centimorgans.back() += copied_[h];
    total += copied_[h];
  }
  if (!(total > 0)) return mixture;
  const std::span<const float> cm = sources.haplotypes.centimorgans;
  const float length = 2 * std::max(cm.back() - cm.front(), kMinWindowCentimorgans);
  for (float& centimorgans_of : centimorgans) centimorgans_of *= length / total;
  populations_->Update(people, centimorgans, length, kPhaseMixtureRounds, mixture);
  return mixture;
}

void SamplePhaser::Draw(SampleGenotypes& sample, const PhasingSources& sources, const PopulationMixture& mixture,
                        const DrawSweeps& sweeps, RandomStream random, PhaseDraws& draws) {
  HS_ASSERT(sweeps.FindProbabilities());
  Start(sample, sources, &mixture);
  for (int k = 0; k < sweeps.burn_in; ++k) Sweep(Choice::kDraw, random);

  for (int k = 0; k < sweeps.averaged; ++k) {
    Sweep(Choice::kDraw, random);
    WithSampler([&](const auto& sampler) {
      draws.Add(sample, sampler.cis_probability());
      if (!sampler.found_probabilities()) return;
      draws.missing.Add(sample, sampler.alt_probability(0), sampler.alt_probability(1), sampler.both_probability());
    });
  }
  ImputeMissing(sample);
}

// Keeps the probabilities of the last sweep: other samples find longer matches with the most probable alleles than with
// draws, and copy an uncertain allele as such.
void SamplePhaser::ImputeMissing(SampleGenotypes& sample) const {
  for (size_t c = 0; c < 2; ++c) {
    const std::span<const float> alt = AltProbability(c);
    sample.imputed[c].resize(sample.missing.size());
    for (size_t k = 0; k < sample.missing.size(); ++k) {
      const uint8_t known = sample.alleles[c][sample.missing[k]];
      const float probability = known == kMissingAllele ? alt[k] : static_cast<float>(known);
      sample.imputed[c][k] = static_cast<uint8_t>(std::lround(kCertainAlt * probability));
    }
  }
}

// Starts the sampler with composites of the haplotypes that match the present phase.
void SamplePhaser::Start(SampleGenotypes& sample, const PhasingSources& sources, const PopulationMixture* mixture) {
  composites_.Assign(sources.haplotypes, sources.matches, sources.max_states, sources.own, sources.excluded_stretches);
  SetStates(sample, sources, mixture);
  StartSampler(sample, sources, PairSampler::First::kPresentPhase);
}

void SamplePhaser::StartSampler(SampleGenotypes& sample, const PhasingSources& sources, PairSampler::First first) {
  samples_reads_ = !sample.reads.empty();
  if (samples_reads_) return read_sampler_.Start(states_, sources.model, sample);
  pair_sampler_.Start(states_, sources.model, sample, first);
}

// Sets the states to the composites.
void SamplePhaser::SetStates(const SampleGenotypes& sample, const PhasingSources& sources,
                             const PopulationMixture* mixture) {
  states_.switch_factor = SwitchFactor(sample);
  states_.imputed = &sources.imputed;
  states_.bits = composites_.site_bits(0);
  states_.words = WordsOf(composites_.size());
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
  if (mixture != nullptr && populations_ != nullptr) SetPriors(*mixture, EvenPrior(sample));
}

// Haplotypes of the study have the prior of an average haplotype of the panel.
void SamplePhaser::SetPriors(const PopulationMixture& mixture, float even) {
  const std::vector<uint32_t>& sample_of = populations_->sample_of();
  const auto prior = [&](uint32_t h) {
    return h < sample_of.size() ? even + (1 - even) * populations_->Share(sample_of[h], mixture) : 1.0f;
  };
  for (size_t s = 0; s < states_.size(); ++s) states_.prior[s] = prior(states_.haplotype[s]);
  for (StateChange& change : states_.changes) change.prior = prior(change.haplotype);
}

}  // namespace haplospin
