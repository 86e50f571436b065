#include "imputation/phasing/window_phaser.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "haplospin/errors.h"
#include "imputation/copying/state_selection.h"

namespace haplospin {
namespace {

// Keys of random streams; those of rounds follow.
enum Stage : uint64_t { kFirstPhase, kPopulations, kDraw, kImprove = 1000 };

// The matches of the present haplotypes of some samples.
class PairMatches {
 public:
  PairMatches(const PhasingReference& reference, const WindowStudy& study, std::span<const DiploidSample> samples,
              std::span<const size_t> index, const MatchOptions& options) {
    std::vector<TargetHaplotype> haplotypes;
    haplotypes.reserve(2 * samples.size());
    for (const DiploidSample& sample : samples) {
      for (const std::vector<uint8_t>& alleles : sample.alleles) haplotypes.emplace_back(alleles);
    }
    std::vector<MatchTarget> targets;
    targets.reserve(haplotypes.size());
    for (size_t k = 0; k < haplotypes.size(); ++k) {
      targets.emplace_back(haplotypes[k], reference.Own(study, index[k / 2]));
    }
    matches_ = FindMatches(reference.rows(), targets, options);
  }

  // Of both haplotypes of sample s together.
  std::vector<HaplotypeMatch> Of(size_t s) const { return MergeMatches(matches_[2 * s], matches_[2 * s + 1]); }

 private:
  std::vector<std::vector<HaplotypeMatch>> matches_;  // [samples, 2]
};

// Where nothing of the phase is given; the given phase of the other heterozygotes is kept.
void RandomizePhase(DiploidSample& sample, RandomStream& random) {
  for (size_t h = 0; h < sample.hets.size(); ++h) {
    if (!sample.can_flip[h] || random.Uniform() < 0.5) continue;
    std::swap(sample.alleles[0][sample.hets[h]], sample.alleles[1][sample.hets[h]]);
  }
}

}  // namespace

WindowPhaser::WindowPhaser(const PhasingContext& context, const WindowStudy& study, std::vector<DiploidSample> samples,
                           std::vector<size_t> index, std::optional<SampleRange> sources)
    : context_(context), study_(study), samples_(std::move(samples)), index_(std::move(index)), sources_(sources) {
  HS_ASSERT(index_.size() == samples_.size());
  HS_ASSERT(context.array != nullptr ? context.model != nullptr : sources.has_value());
  if (context.array != nullptr) {
    reference_.emplace(*context.array);
    estimated_ = *context.model;
  } else {
    UpdateReference();
    EstimateModel();
  }
}

void WindowPhaser::EstimateModel() { estimated_ = EstimateCopyingModel(reference_->array(), context_.copying); }

CopyingModel WindowPhaser::WithRates(const PhasingRates& rates) const {
  return haplospin::WithRates(rates, estimated_, context_.copying);
}

std::vector<PhaseDraws> WindowPhaser::Run() {
  if (samples_.empty()) return {};
  context_.array != nullptr ? FindFirstPhase() : FindPhaseFromStudy();
  UpdateReference();
  std::vector<PopulationMixture> mixtures(samples_.size());
  ForEachSample(model(), true, [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    mixtures[k] = phaser.FindPopulations(samples_[k], sources, Random(k, kPopulations));
  });
  std::vector<PhaseDraws> draws(samples_.size());
  const std::vector<PhasingRates>& rounds = context_.options.rounds;
  for (size_t round = 0; round < rounds.size(); ++round) {
    UpdateReference();
    ForEachSample(WithRates(rounds[round]), true, [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      phaser.Draw(samples_[k], sources, mixtures[k], Random(k, kDraw + round), draws[k]);
    });
  }
  for (size_t k = 0; k < samples_.size(); ++k) SetMostProbablePhase(draws[k], samples_[k]);
  return draws;
}

void WindowPhaser::FindFirstPhase() {
  ForEachSample(model(), false, [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    phaser.FindFirstPhase(samples_[k], sources, Random(k, kFirstPhase));
  });
}

// The switch probabilities are estimated anew once the haplotypes have taken shape.
void WindowPhaser::FindPhaseFromStudy() {
  for (size_t k = 0; k < samples_.size(); ++k) {
    RandomStream random = Random(k, kFirstPhase);
    RandomizePhase(samples_[k], random);
  }
  const int random_rounds = context_.options.random_rounds;
  for (int round = 0; round < random_rounds + context_.options.study_rounds; ++round) {
    UpdateReference();
    if (round == random_rounds) EstimateModel();
    ForEachSample(model(), round >= random_rounds, [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      const RandomStream random = Random(k, kImprove + static_cast<uint64_t>(round));
      round < random_rounds ? phaser.FindFirstPhase(samples_[k], sources, random)
                            : phaser.Improve(samples_[k], sources, random);
    });
  }
}

void WindowPhaser::ForEachSample(const CopyingModel& model, bool with_matches, const ForSample& function) {
  tbb::enumerable_thread_specific<std::unique_ptr<SamplePhaser>> workspaces;
  const HaplotypeRows rows = reference_->rows();
  for (size_t begin = 0; begin < samples_.size(); begin += kSamplesAtATime) {
    const size_t count = std::min(kSamplesAtATime, samples_.size() - begin);
    std::optional<PairMatches> matches;
    if (with_matches) {
      matches.emplace(*reference_, study_, std::span(samples_).subspan(begin, count),
                      std::span(index_).subspan(begin, count), context_.options.matches);
    }
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 1), [&](const tbb::blocked_range<size_t>& range) {
      std::unique_ptr<SamplePhaser>& phaser = workspaces.local();
      if (!phaser) phaser = std::make_unique<SamplePhaser>(context_);
      for (size_t k = range.begin(); k < range.end(); ++k) {
        const std::vector<HaplotypeMatch> both = matches ? matches->Of(k) : std::vector<HaplotypeMatch>();
        function(*phaser, begin + k, {rows, both, reference_->Own(study_, index_[begin + k]), model});
      }
    });
  }
}

// So that the draws of a sample do not depend on which other samples the study has.
RandomStream WindowPhaser::Random(size_t k, uint64_t stage) const {
  return RandomStream(context_.options.seed, {HashOf(study_.samples->names[index_[k]]), stage});
}

void WindowPhaser::UpdateReference() {
  if (sources_) reference_.emplace(context_.panel, context_.map, study_, *sources_, samples_, index_);
}

CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated, const CopyingOptions& copying) {
  const float factor = rates.multiplier / copying.rate_multiplier;
  estimated.mismatch_probability = rates.mismatch_probability;
  for (float& t : estimated.switch_probability) t = std::clamp(t * factor, 1e-6f, 0.5f);
  return estimated;
}

}  // namespace haplospin
