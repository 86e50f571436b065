#include "genotypes/imputation/phasing/study/window_phaser.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/copying/copying_states.h"
#include "genotypes/imputation/phasing/sample/het_matches.h"
#include "genotypes/imputation/phasing/study/first_haplotypes.h"
#include "genotypes/imputation/phasing/study/founder_haplotypes.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Returns the alleles of the samples in their present phase: [typed][haplotypes].
std::vector<std::vector<uint8_t>> PresentAlleles(const WindowStudy& study, SampleRange samples,
                                                 std::span<const SampleGenotypes> present,
                                                 std::span<const size_t> index) {
  const uint32_t begin = study.samples->first_haplotype[samples.begin];
  const uint32_t end = study.samples->first_haplotype[samples.end];
  std::vector<std::vector<uint8_t>> alleles;
  alleles.reserve(study.typed.size());
  for (const std::vector<uint8_t>* row : study.rows) alleles.emplace_back(row->begin() + begin, row->begin() + end);
  for (size_t k = 0; k < present.size(); ++k) {
    const uint32_t first = study.samples->first_haplotype[index[k]] - begin;
    for (uint32_t c = 0; c < present[k].ploidy; ++c) {
      const std::vector<uint8_t> haplotype = ImputedAlleles(present[k], c);
      for (size_t j = 0; j < alleles.size(); ++j) alleles[j][first + c] = haplotype[j];
    }
  }
  return alleles;
}

// Returns the first haplotype of each of the samples `index` among those of `samples`.
std::vector<uint32_t> FirstHaplotypes(const WindowStudy& study, SampleRange samples, std::span<const size_t> index) {
  std::vector<uint32_t> first;
  first.reserve(index.size());
  for (const size_t s : index) {
    first.push_back(study.samples->first_haplotype[s] - study.samples->first_haplotype[samples.begin]);
  }
  return first;
}

// Returns the places of the typed markers, cM.
std::vector<double> Centimorgans(const PanelWindow& window) {
  std::vector<double> centimorgans;
  for (const uint32_t m : window.typed_markers()) {
    centimorgans.push_back(window.map().Centimorgans(window.panel().marker(m).position));
  }
  return centimorgans;
}

uint8_t MajorAllele(uint32_t panel_alt, size_t panel_haplotypes, const std::vector<uint8_t>& study) {
  const auto ones = static_cast<size_t>(std::ranges::count(study, uint8_t{1})) + panel_alt;
  const auto zeros = static_cast<size_t>(std::ranges::count(study, uint8_t{0})) + panel_haplotypes - panel_alt;
  return ones > zeros ? 1 : 0;
}

// Returns the panel at its typed markers, with the haplotypes of the samples after its own.
HaplotypePanel Join(const HaplotypePanel& panel, const WindowStudy& study, SampleRange study_samples,
                    const std::vector<std::vector<uint8_t>>& alleles) {
  SampleTable samples = panel.samples();
  if (samples.first_haplotype.empty()) samples.first_haplotype.push_back(0);
  for (size_t s = study_samples.begin; s < study_samples.end; ++s) {
    samples.names.push_back(study.samples->names[s]);
    samples.first_haplotype.push_back(samples.first_haplotype.back() + static_cast<uint32_t>(study.samples->ploidy(s)));
  }
  const size_t before = panel.num_haplotypes();
  MutablePanel joined(panel.contig(), std::move(samples));
  std::vector<uint64_t> bits;
  for (size_t j = 0; j < study.typed.size(); ++j) {
    bits.assign(joined.words_per_marker(), 0);
    panel.CopyBits(study.typed[j], bits.data());
    const uint8_t major = MajorAllele(panel.alt_count(study.typed[j]), before, alleles[j]);
    for (size_t h = 0; h < alleles[j].size(); ++h) {
      const uint64_t allele = alleles[j][h] == kMissingAllele ? major : alleles[j][h];
      bits[(before + h) / 64] |= allele << ((before + h) % 64);
    }
    joined.Append(panel.marker(study.typed[j]), bits.data());
  }
  return joined;
}

// Keys of random streams; those of rounds follow, and kNextChain later those of the next chain.
enum Stage : uint64_t { kFirstPhase, kPopulations, kDraw, kImprove = 1000, kNextChain = 1'000'000 };

// The effects of these constants are in benchmarks/phasing/LOG.md.
constexpr PhasingRates kRates = {1, 3e-3f};  // rates before the rounds of draws

// Rates of the rounds of draws, each over matches of the present phase. The mean of the rounds depends less on the
// rates than a single round.
constexpr PhasingRates kDrawRates[] = {{1, 1e-3f}, {1, 6e-3f}, {1.5f, 1e-3f}, {1.5f, 6e-3f}};

// On average, two markers of an array are further apart than kArrayGap, cM. In sequences, where they are closer, fewer
// of them differ from the copied haplotype: the mismatch probabilities are in proportion, but not below
// kMinMismatchShare.
constexpr float kArrayGap = 1.5e-3f, kMinMismatchShare = 0.3f;

// Returns whether there are genotypes that are neither called nor missing.
bool HaveLikelihoods(std::span<const SampleGenotypes> samples) {
  return std::ranges::any_of(samples, [](const SampleGenotypes& sample) {
    return !std::ranges::all_of(sample.likelihoods, &GenotypeLikelihoods::IsFlat);
  });
}

// Factors of the rates where all markers of a panel are phased by likelihoods. The haplotypes of a panel differ less
// from each other, and switch less, than called genotypes with their errors do.
constexpr float kMismatchShareOfLikelihoods = 0.06f, kSwitchFactorOfLikelihoods = 0.8f;

// Imputed alleles of other samples are wrong more often than alleles that were observed, so nothing is lowered for
// them.
float MismatchShare(const PanelWindow& window, bool has_panel, std::span<const SampleGenotypes> samples) {
  if (has_panel && HaveLikelihoods(samples)) return kMismatchShareOfLikelihoods;
  if (std::ranges::any_of(samples, [](const SampleGenotypes& sample) { return !sample.missing.empty(); })) return 1;
  const std::vector<double> cm = Centimorgans(window);
  const double gap = (cm.back() - cm.front()) / static_cast<double>(std::max<size_t>(cm.size() - 1, 1));
  return std::clamp(static_cast<float>(gap) / kArrayGap, kMinMismatchShare, 1.0f);
}

// Rounds by which a first guess from likelihoods is improved before the rounds of draws.
constexpr int kLikelihoodRounds = 12;

// Without a panel, the haplotypes that are copied have errors that each round removes a part of: many short rounds,
// also of draws, are better than a few long ones. Chains have equal parts of them. Among many samples there are longer
// matches, so that fewer rounds are needed; if most alleles are missing, each round finds fewer of them.
constexpr PhasingRates kStudyRates = {0.7f, 3e-3f};
constexpr double kManyMissing = 0.5;  // share of missing alleles from which on switches are overestimated
constexpr float kMinSwitchFactor = 0.1f;
constexpr int kStudyRounds = 24, kRoundsOfManySamples = 12;
constexpr double kMaxRoundsFactor = 4;
constexpr int kRoundsOfEstimate = 8;  // rounds after which the switch probabilities are estimated again
constexpr size_t kStudyDrawRounds = 2 * std::size(kDrawRates);
constexpr size_t kMaxStatesOfStudy = 256;

int StudyRounds(size_t samples, double missing_share) {
  const int rounds = samples < kManySamples ? kStudyRounds : kRoundsOfManySamples;
  const double factor = std::min(kManyMissing / (1 - std::min(missing_share, 1 - 1e-6)), kMaxRoundsFactor);
  return static_cast<int>(std::lround(rounds * std::max(1.0, factor)));
}

// The rounds of draws, with a panel or without one.
struct DrawRounds {
  size_t rounds;
  int sweeps;
};

DrawRounds PlannedDrawRounds(bool has_panel, size_t chains) {
  if (has_panel) return {std::size(kDrawRates), phasing_sweeps::kDraw};
  return {kStudyDrawRounds / chains, phasing_sweeps::kDrawOfStudy};
}

// Returns the frequency of ALT at the typed markers of a reference.
std::vector<float> AltFrequencies(const TypedPanel& reference) {
  std::vector<float> frequencies;
  frequencies.reserve(reference.num_typed());
  for (size_t j = 0; j < reference.num_typed(); ++j) frequencies.push_back(reference.frequency(j, 1));
  return frequencies;
}

// The matches of the present haplotypes of some samples.
class PairMatches {
 public:
  PairMatches(const PhasingReference& reference, const WindowStudy& study, std::span<const SampleGenotypes> samples,
              std::span<const size_t> index) {
    std::vector<TargetHaplotype> haplotypes;
    haplotypes.reserve(2 * samples.size());
    for (size_t k = 0; k < samples.size(); ++k) {
      const ExcludedHaplotypes own = reference.Own(study, index[k]);
      for (size_t c = 0; c < 2; ++c) haplotypes.emplace_back(ImputedAlleles(samples[k], c), own);
    }
    matches_ = FindMatches(reference.rows(), PointersTo(haplotypes), MatchOptions());
  }

  // Returns the matches of each haplotype of sample s.
  std::array<std::span<const HaplotypeMatch>, 2> Each(size_t s) const { return {matches_[2 * s], matches_[2 * s + 1]}; }

  // Returns the matches of both haplotypes of sample s.
  std::vector<HaplotypeMatch> Both(size_t s) const { return MergeMatches(matches_[2 * s], matches_[2 * s + 1]); }

 private:
  std::vector<std::vector<HaplotypeMatch>> matches_;  // [samples, 2]
};

}  // namespace

PhasingReference::PhasingReference(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                                   SampleRange samples, std::span<const SampleGenotypes> present,
                                   std::span<const size_t> index)
    : num_panel_haplotypes_(panel.num_haplotypes()),
      first_study_haplotype_(study.samples->first_haplotype[samples.begin]) {
  std::vector<uint32_t> all(study.typed.size());
  std::iota(all.begin(), all.end(), 0);
  joined_ = std::make_unique<TypedPanel>(Join(panel, study, samples, PresentAlleles(study, samples, present, index)),
                                         all, map);
  panel_ = joined_.get();
  std::vector<uint32_t> first = FirstHaplotypes(study, samples, index);
  for (uint32_t& h : first) h += static_cast<uint32_t>(num_panel_haplotypes_);
  imputed_ = ImputedAlts(joined_->rows(), present, first);
}

ExcludedHaplotypes PhasingReference::Own(const WindowStudy& study, size_t sample) const {
  if (num_haplotypes() == num_panel_haplotypes_) return {};
  ExcludedHaplotypes own;
  for (uint32_t h = study.samples->first_haplotype[sample]; h < study.samples->first_haplotype[sample + 1]; ++h) {
    own.haplotypes[own.count++] = static_cast<uint32_t>(num_panel_haplotypes_) + h - first_study_haplotype_;
  }
  return own;
}

WindowPhaser::WindowPhaser(const PanelWindow& window, std::optional<PanelEstimates> estimates, const WindowStudy& study,
                           uint64_t seed, double work, std::vector<SampleGenotypes> samples, std::vector<size_t> index,
                           std::optional<SampleRange> sources, PhasingChain chain)
    : window_(window),
      estimates_(std::move(estimates)),
      study_(study),
      seed_(seed),
      work_(work),
      samples_(std::move(samples)),
      chain_(chain),
      draws_(samples_.size()),
      index_(std::move(index)),
      sources_(sources),
      has_likelihoods_(HaveLikelihoods(samples_)),
      mismatch_share_(MismatchShare(window, estimates_.has_value(), samples_)),
      missing_share_(sources ? MissingShare(study, samples_, *sources) : 0),
      study_rounds_(sources ? StudyRounds(sources->end - sources->begin, missing_share_) / static_cast<int>(chain.count)
                            : 0) {
  HS_ASSERT(index_.size() == samples_.size());
  if (estimates_) {
    reference_.emplace(window.typed_panel());
  } else {
    HS_ASSERT(sources.has_value());
    UpdateReference();
  }
}

void WindowPhaser::EstimateModel() {
  study_model_ = EstimatePanelCopying(reference_->panel(), window_.options()).model;
}

CopyingModel WindowPhaser::model() const { return ModelWith(kRates); }

CopyingModel WindowPhaser::ModelWith(PhasingRates rates) const {
  rates.multiplier *= SwitchFactor();
  rates.mismatch_probability *= mismatch_share_;
  return WithRates(rates, estimated());
}

void WindowPhaser::FindPhase() {
  if (samples_.empty()) return;
  estimates_ ? FindPhaseFromPanel() : FindPhaseFromStudy();
}

void WindowPhaser::Draw(std::vector<PhaseDraws>& draws) {
  if (draws.empty()) draws = std::move(draws_);
  UpdateReference();
  if (!estimates_) EstimateModel();
  if (samples_.empty()) return;
  std::vector<PopulationMixture> mixtures(samples_.size(), EvenMixture());
  if (estimates_) {
    const auto find_populations = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      mixtures[k] = phaser.FindPopulations(samples_[k], sources, Random(k, kPopulations));
    };
    ForEachSample(model(), true, phasing_sweeps::kPopulations, find_populations);
  }
  const DrawRounds planned = PlannedDrawRounds(estimates_.has_value(), chain_.count);
  for (size_t round = 0; round < planned.rounds; ++round) {
    UpdateReference();
    const auto draw = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      phaser.Draw(samples_[k], sources, mixtures[k], planned.sweeps, Random(k, kDraw + round), draws[k]);
    };
    const PhasingRates& rates = kDrawRates[round % std::size(kDrawRates)];
    ForEachSample(ModelWith(rates), true, phasing_sweeps::kBurnIn + planned.sweeps, draw);
  }
}

std::vector<PhasePosterior> WindowPhaser::SetMostProbable(std::vector<PhaseDraws> draws) {
  std::vector<PhasePosterior> posterior;
  for (size_t k = 0; k < samples_.size(); ++k) {
    posterior.push_back(SetMostProbablePhase(std::move(draws[k]), samples_[k]));
  }
  return posterior;
}

void WindowPhaser::FindPhaseFromPanel() {
  const auto find_phase = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    phaser.FindFirstPhase(samples_[k], sources, Random(k, kFirstPhase));
  };
  ForEachSample(model(), false, phasing_sweeps::kFirst, find_phase);
  if (has_likelihoods_) Improve(kLikelihoodRounds, phasing_sweeps::kImprove, kRates);
}

void WindowPhaser::Improve(int rounds, int sweeps, const PhasingRates& rates) {
  for (int round = 0; round < rounds; ++round) {
    UpdateReference();
    if (!estimates_ && round % kRoundsOfEstimate == 0) EstimateModel();
    const auto improve = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      phaser.Improve(samples_[k], sources, sweeps, Random(k, kImprove + static_cast<uint64_t>(round)));
    };
    ForEachSample(ModelWith(rates), true, sweeps, improve);
  }
}

// Returns a factor of the switch probabilities. Errors of imputed alleles look like switches, so that the estimates are
// too high if most alleles are missing.
float WindowPhaser::SwitchFactor() const {
  if (estimates_) return has_likelihoods_ ? kSwitchFactorOfLikelihoods : 1;
  return std::clamp(static_cast<float>((1 - missing_share_) / (1 - kManyMissing)), kMinSwitchFactor, 1.0f);
}

// Returns the sweeps of a sample in all rounds.
int WindowPhaser::AllSweeps() const {
  const bool has_panel = estimates_.has_value();
  const int first = has_panel ? phasing_sweeps::kFirst + phasing_sweeps::kPopulations
                              : study_rounds_ * phasing_sweeps::kImproveOfStudy;
  const DrawRounds draws = PlannedDrawRounds(has_panel, chain_.count);
  const int chain = first + static_cast<int>(draws.rounds) * (phasing_sweeps::kBurnIn + draws.sweeps);
  return static_cast<int>(chain_.count) * chain;
}

void WindowPhaser::FindPhaseFromStudy() {
  const std::vector<double> centimorgans = Centimorgans(window_);
  if (has_likelihoods_) {
    std::vector<std::string> names;
    for (const size_t s : index_) names.push_back(study_.samples->names[s]);
    std::vector<MissingAlleles> average(samples_.size());
    GuessFromFounders(centimorgans, names, seed_, samples_, average);
    for (size_t k = 0; k < samples_.size(); ++k) draws_[k].missing = std::move(average[k]);
  } else {
    GuessHaplotypes(PresentAlleles(study_, *sources_, samples_, index_), FirstHaplotypes(study_, *sources_, index_),
                    centimorgans, samples_);
  }
  Improve(study_rounds_, phasing_sweeps::kImproveOfStudy, kStudyRates);
}

void WindowPhaser::ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function) {
  const double work = work_ * sweeps / AllSweeps();
  const PanelPopulations* populations = estimates_ ? estimates_->populations.get() : nullptr;
  tbb::enumerable_thread_specific<std::unique_ptr<SamplePhaser>> workspaces;
  const HaplotypeRows rows = reference_->rows();
  const std::vector<float> alt_frequency = AltFrequencies(reference_->panel());
  const size_t max_states = !estimates_        ? kMaxStatesOfStudy
                            : has_likelihoods_ ? kMaxStatesOfLikelihoods
                                               : kMaxPhasingStates;
  for (size_t begin = 0; begin < samples_.size(); begin += kSamplesAtATime) {
    const size_t count = std::min(kSamplesAtATime, samples_.size() - begin);
    std::optional<PairMatches> matches;
    if (with_matches) {
      matches.emplace(*reference_, study_, std::span(samples_).subspan(begin, count),
                      std::span(index_).subspan(begin, count));
    }
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 1), [&](const tbb::blocked_range<size_t>& range) {
      std::unique_ptr<SamplePhaser>& phaser = workspaces.local();
      if (!phaser) phaser = std::make_unique<SamplePhaser>(populations);
      for (size_t k = range.begin(); k < range.end(); ++k) {
        std::vector<HaplotypeMatch> both;
        HetMatches het_matches;
        if (matches) both = matches->Both(k);
        if (matches && MatchesEndAtMutations()) {
          het_matches = MatchesAtHets(samples_[begin + k], matches->Each(k), rows.centimorgans, alt_frequency);
        }
        function(*phaser, begin + k,
                 {rows, both, het_matches, reference_->Own(study_, index_[begin + k]), model, max_states,
                  reference_->imputed()});
        study_.Report(work);
      }
    });
  }
}

// Keys the stream by name, so that the draws of a sample do not depend on the other samples of the study.
RandomStream WindowPhaser::Random(size_t k, uint64_t stage) const {
  return RandomStream(seed_, {HashOf(study_.samples->names[index_[k]]), stage + chain_.index * kNextChain});
}

void WindowPhaser::UpdateReference() {
  if (sources_) reference_.emplace(window_.panel(), window_.map(), study_, *sources_, samples_, index_);
}

double MissingShare(const WindowStudy& study, std::span<const SampleGenotypes> samples, const SampleRange& sources) {
  const auto& first = study.samples->first_haplotype;
  const size_t alleles = (first[sources.end] - first[sources.begin]) * study.rows.size();
  size_t missing = 0;
  for (const SampleGenotypes& sample : samples) {
    const auto flat = std::ranges::count_if(sample.likelihoods, &GenotypeLikelihoods::IsFlat);
    missing += sample.ploidy * static_cast<size_t>(flat);
  }
  return alleles > 0 ? static_cast<double>(missing) / static_cast<double>(alleles) : 0;
}

CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated) {
  const float factor = rates.multiplier / estimated.multiplier;
  estimated.multiplier = rates.multiplier;
  estimated.mismatch_probability = rates.mismatch_probability;
  for (float& t : estimated.switch_probability) t = SwitchProbability(t * factor);
  return estimated;
}

}  // namespace haplospin
