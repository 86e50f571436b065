#include "imputation/phasing/window_phaser.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

enum Stage : uint64_t { kFirstPhase, kPopulations, kDraw };  // keys of random streams

// The matches of the present haplotypes of all samples.
class PairMatches {
 public:
  PairMatches(const PhasingContext& context, std::span<const DiploidSample> samples) {
    std::vector<TargetHaplotype> haplotypes;
    haplotypes.reserve(2 * samples.size());
    for (const DiploidSample& sample : samples) {
      for (const std::vector<uint8_t>& alleles : sample.alleles) haplotypes.emplace_back(alleles);
    }
    const std::vector<MatchTarget> targets(haplotypes.begin(), haplotypes.end());
    matches_ = FindMatches(context.reference, targets, context.options.matches);
  }

  // Of both haplotypes of sample s together, in the order of FindMatches().
  std::vector<HaplotypeMatch> Of(size_t s) const {
    std::vector<HaplotypeMatch> both;
    std::ranges::merge(matches_[2 * s], matches_[2 * s + 1], std::back_inserter(both), {}, Order, Order);
    return both;
  }

 private:
  static std::tuple<uint32_t, uint32_t, uint32_t> Order(const HaplotypeMatch& match) {
    return {match.begin, ~match.end, match.haplotype};
  }

  std::vector<std::vector<HaplotypeMatch>> matches_;  // [samples, 2]
};

}  // namespace

std::vector<PhaseDraws> PhaseSamples(const PhasingContext& context, std::span<DiploidSample> samples,
                                     std::span<const uint64_t> keys) {
  HS_ASSERT(keys.size() == samples.size());
  tbb::enumerable_thread_specific<std::unique_ptr<SamplePhaser>> workspaces;
  const auto for_each = [&](auto function) {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, samples.size(), 1), [&](const tbb::blocked_range<size_t>& range) {
      std::unique_ptr<SamplePhaser>& phaser = workspaces.local();
      if (!phaser) phaser = std::make_unique<SamplePhaser>(context);
      for (size_t s = range.begin(); s < range.end(); ++s) function(s, *phaser);
    });
  };
  const auto random = [&](size_t s, Stage stage) { return RandomStream(context.options.seed, {keys[s], stage}); };

  for_each([&](size_t s, SamplePhaser& phaser) { phaser.FindFirstPhase(samples[s], random(s, kFirstPhase)); });
  std::vector<PopulationMixture> mixtures(samples.size());
  {
    const PairMatches matches(context, samples);
    for_each([&](size_t s, SamplePhaser& phaser) {
      mixtures[s] = phaser.FindPopulations(samples[s], matches.Of(s), random(s, kPopulations));
    });
  }
  std::vector<PhaseDraws> draws(samples.size());
  const PairMatches matches(context, samples);
  for_each([&](size_t s, SamplePhaser& phaser) {
    draws[s] = phaser.Draw(samples[s], matches.Of(s), mixtures[s], random(s, kDraw));
  });
  return draws;
}

}  // namespace haplospin
