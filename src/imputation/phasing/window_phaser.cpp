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

int DrawSweeps(const PhasingOptions& options) { return options.burn_in + options.sweeps; }

// Of a sample, in all rounds.
int AllSweeps(const PhasingContext& context) {
  const PhasingOptions& options = context.options;
  const int first = context.array != nullptr
                        ? options.first_sweeps
                        : options.random_rounds * options.first_sweeps + options.study_rounds * options.study_sweeps;
  return first + options.population_sweeps + static_cast<int>(options.rounds.size()) * DrawSweeps(options);
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
  return haplospin::WithRates(rates, estimated_);
}

std::vector<PhaseDraws> WindowPhaser::Run() {
  if (samples_.empty()) return {};
  context_.array != nullptr ? FindFirstPhase() : FindPhaseFromStudy();
  UpdateReference();
  std::vector<PopulationMixture> mixtures(samples_.size());
  const PhasingOptions& options = context_.options;
  const auto find_populations = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    mixtures[k] = phaser.FindPopulations(samples_[k], sources, Random(k, kPopulations));
  };
  ForEachSample(model(), true, options.population_sweeps, find_populations);
  std::vector<PhaseDraws> draws(samples_.size());
  for (size_t round = 0; round < options.rounds.size(); ++round) {
    UpdateReference();
    const auto draw = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      phaser.Draw(samples_[k], sources, mixtures[k], Random(k, kDraw + round), draws[k]);
    };
    ForEachSample(WithRates(options.rounds[round]), true, DrawSweeps(options), draw);
  }
  for (size_t k = 0; k < samples_.size(); ++k) SetMostProbablePhase(draws[k], samples_[k]);
  return draws;
}

void WindowPhaser::FindFirstPhase() {
  const auto find_phase = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    phaser.FindFirstPhase(samples_[k], sources, Random(k, kFirstPhase));
  };
  ForEachSample(model(), false, context_.options.first_sweeps, find_phase);
}

// The switch probabilities are estimated anew once the haplotypes have taken shape.
void WindowPhaser::FindPhaseFromStudy() {
  for (size_t k = 0; k < samples_.size(); ++k) {
    RandomStream random = Random(k, kFirstPhase);
    RandomizePhase(samples_[k], random);
  }
  const PhasingOptions& options = context_.options;
  for (int round = 0; round < options.random_rounds + options.study_rounds; ++round) {
    UpdateReference();
    const bool is_random = round < options.random_rounds;
    if (round == options.random_rounds) EstimateModel();
    const auto find_phase = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      const RandomStream random = Random(k, kImprove + static_cast<uint64_t>(round));
      is_random ? phaser.FindFirstPhase(samples_[k], sources, random) : phaser.Improve(samples_[k], sources, random);
    };
    ForEachSample(model(), !is_random, is_random ? options.first_sweeps : options.study_sweeps, find_phase);
  }
}

void WindowPhaser::ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function) {
  const double work = context_.work * sweeps / AllSweeps(context_);  // on a sample
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
        study_.Report(work);
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

CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated) {
  const float factor = rates.multiplier / estimated.multiplier;
  estimated.multiplier = rates.multiplier;
  estimated.mismatch_probability = rates.mismatch_probability;
  for (float& t : estimated.switch_probability) t = SwitchProbability(t * factor);
  return estimated;
}

}  // namespace haplospin
