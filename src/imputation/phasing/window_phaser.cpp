#include "imputation/phasing/window_phaser.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "genomics/mutable_panel.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_states.h"

namespace haplospin {
namespace {

// Returns the alleles of the samples in their present phase: [typed][haplotypes].
std::vector<std::vector<uint8_t>> PresentAlleles(const WindowStudy& study, SampleRange samples,
                                                 std::span<const DiploidSample> present,
                                                 std::span<const size_t> index) {
  const uint32_t begin = study.samples->first_haplotype[samples.begin];
  const uint32_t end = study.samples->first_haplotype[samples.end];
  std::vector<std::vector<uint8_t>> alleles;
  alleles.reserve(study.typed.size());
  for (const std::vector<uint8_t>* row : study.rows) alleles.emplace_back(row->begin() + begin, row->begin() + end);
  for (size_t k = 0; k < present.size(); ++k) {
    const uint32_t first = study.samples->first_haplotype[index[k]] - begin;
    for (const uint32_t j : present[k].hets) {
      for (size_t c = 0; c < 2; ++c) alleles[j][first + c] = present[k].alleles[c][j];
    }
  }
  return alleles;
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

// Keys of random streams; those of rounds follow.
enum Stage : uint64_t { kFirstPhase, kPopulations, kDraw, kImprove = 1000 };

// The effects of these constants are in benchmarks/phasing/LOG.md.
constexpr PhasingRates kRates = {1, 3e-3f};  // rates before the rounds of draws

// Rates of the rounds of draws, each over matches of the present phase. The mean of the rounds depends less on the
// rates than a single round.
constexpr PhasingRates kDrawRates[] = {{1, 1e-3f}, {1, 6e-3f}, {1.5f, 1e-3f}, {1.5f, 6e-3f}};

// Rounds without a panel: the first ones begin with random phases and copy evenly spaced study haplotypes, the others
// copy matches.
constexpr int kRandomRounds = 12, kStudyRounds = 12;

constexpr int kDrawSweeps = phasing_sweeps::kBurnIn + phasing_sweeps::kDraw;

// The matches of the present haplotypes of some samples.
class PairMatches {
 public:
  PairMatches(const PhasingReference& reference, const WindowStudy& study, std::span<const DiploidSample> samples,
              std::span<const size_t> index) {
    std::vector<TargetHaplotype> haplotypes;
    haplotypes.reserve(2 * samples.size());
    for (size_t k = 0; k < samples.size(); ++k) {
      const ExcludedHaplotypes own = reference.Own(study, index[k]);
      for (const std::vector<uint8_t>& alleles : samples[k].alleles) haplotypes.emplace_back(alleles, own);
    }
    matches_ = FindMatches(reference.rows(), PointersTo(haplotypes), MatchOptions());
  }

  // Returns the matches of both haplotypes of sample s.
  std::vector<HaplotypeMatch> Of(size_t s) const { return MergeMatches(matches_[2 * s], matches_[2 * s + 1]); }

 private:
  std::vector<std::vector<HaplotypeMatch>> matches_;  // [samples, 2]
};

// Gives a random phase to the heterozygotes that the study does not phase.
void RandomizePhase(DiploidSample& sample, RandomStream& random) {
  for (size_t h = 0; h < sample.hets.size(); ++h) {
    if (!sample.can_flip[h] || random.Uniform() < 0.5) continue;
    std::swap(sample.alleles[0][sample.hets[h]], sample.alleles[1][sample.hets[h]]);
  }
}

// Returns the sweeps of a sample in all rounds.
int AllSweeps(bool has_panel) {
  const int first = has_panel ? phasing_sweeps::kFirst
                              : kRandomRounds * phasing_sweeps::kFirst + kStudyRounds * phasing_sweeps::kImprove;
  return first + phasing_sweeps::kPopulations + static_cast<int>(std::size(kDrawRates)) * kDrawSweeps;
}

}  // namespace

PhasingReference::PhasingReference(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                                   SampleRange samples, std::span<const DiploidSample> present,
                                   std::span<const size_t> index)
    : num_panel_haplotypes_(panel.num_haplotypes()),
      first_study_haplotype_(study.samples->first_haplotype[samples.begin]) {
  std::vector<uint32_t> all(study.typed.size());
  std::iota(all.begin(), all.end(), 0);
  joined_ = std::make_unique<TypedPanel>(Join(panel, study, samples, PresentAlleles(study, samples, present, index)),
                                         all, map);
  panel_ = joined_.get();
}

ExcludedHaplotypes PhasingReference::Own(const WindowStudy& study, size_t sample) const {
  if (num_haplotypes() == num_panel_haplotypes_) return {};
  ExcludedHaplotypes own;
  for (uint32_t h = study.samples->first_haplotype[sample]; h < study.samples->first_haplotype[sample + 1]; ++h) {
    own.haplotypes[own.count++] = static_cast<uint32_t>(num_panel_haplotypes_) + h - first_study_haplotype_;
  }
  return own;
}

WindowPhaser::WindowPhaser(const PanelWindow& window, const WindowStudy& study, uint64_t seed, double work,
                           std::vector<DiploidSample> samples, std::vector<size_t> index,
                           std::optional<SampleRange> sources)
    : window_(window),
      study_(study),
      seed_(seed),
      work_(work),
      samples_(std::move(samples)),
      index_(std::move(index)),
      sources_(sources) {
  HS_ASSERT(index_.size() == samples_.size());
  if (window.HasHaplotypes()) {
    reference_.emplace(window.typed_panel());
  } else {
    HS_ASSERT(sources.has_value());
    UpdateReference();
    EstimateModel();
  }
}

void WindowPhaser::EstimateModel() { of_study_ = EstimatePanelCopying(reference_->panel(), window_.options()).model; }

CopyingModel WindowPhaser::model() const { return WithRates(kRates, estimated()); }

std::vector<PhaseDraws> WindowPhaser::Run() {
  if (samples_.empty()) return {};
  window_.HasHaplotypes() ? FindFirstPhase() : FindPhaseFromStudy();
  UpdateReference();
  std::vector<PopulationMixture> mixtures(samples_.size());
  const auto find_populations = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    mixtures[k] = phaser.FindPopulations(samples_[k], sources, Random(k, kPopulations));
  };
  ForEachSample(model(), true, phasing_sweeps::kPopulations, find_populations);
  std::vector<PhaseDraws> draws(samples_.size());
  for (size_t round = 0; round < std::size(kDrawRates); ++round) {
    UpdateReference();
    const auto draw = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      phaser.Draw(samples_[k], sources, mixtures[k], Random(k, kDraw + round), draws[k]);
    };
    ForEachSample(WithRates(kDrawRates[round], estimated()), true, kDrawSweeps, draw);
  }
  for (size_t k = 0; k < samples_.size(); ++k) SetMostProbablePhase(draws[k], samples_[k]);
  return draws;
}

void WindowPhaser::FindFirstPhase() {
  const auto find_phase = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    phaser.FindFirstPhase(samples_[k], sources, Random(k, kFirstPhase));
  };
  ForEachSample(model(), false, phasing_sweeps::kFirst, find_phase);
}

// Estimates the switch probabilities again after the random rounds, when the haplotypes are no longer random.
void WindowPhaser::FindPhaseFromStudy() {
  for (size_t k = 0; k < samples_.size(); ++k) {
    RandomStream random = Random(k, kFirstPhase);
    RandomizePhase(samples_[k], random);
  }
  for (int round = 0; round < kRandomRounds + kStudyRounds; ++round) {
    UpdateReference();
    const bool is_random = round < kRandomRounds;
    if (round == kRandomRounds) EstimateModel();
    const auto find_phase = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      const RandomStream random = Random(k, kImprove + static_cast<uint64_t>(round));
      is_random ? phaser.FindFirstPhase(samples_[k], sources, random) : phaser.Improve(samples_[k], sources, random);
    };
    ForEachSample(model(), !is_random, is_random ? phasing_sweeps::kFirst : phasing_sweeps::kImprove, find_phase);
  }
}

void WindowPhaser::ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function) {
  const double work = work_ * sweeps / AllSweeps(window_.HasHaplotypes());
  const PanelPopulations* populations = window_.HasHaplotypes() ? &window_.populations() : nullptr;
  tbb::enumerable_thread_specific<std::unique_ptr<SamplePhaser>> workspaces;
  const HaplotypeRows rows = reference_->rows();
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
        const std::vector<HaplotypeMatch> both = matches ? matches->Of(k) : std::vector<HaplotypeMatch>();
        function(*phaser, begin + k, {rows, both, reference_->Own(study_, index_[begin + k]), model});
        study_.Report(work);
      }
    });
  }
}

// Keys the stream by name, so that the draws of a sample do not depend on the other samples of the study.
RandomStream WindowPhaser::Random(size_t k, uint64_t stage) const {
  return RandomStream(seed_, {HashOf(study_.samples->names[index_[k]]), stage});
}

void WindowPhaser::UpdateReference() {
  if (sources_) reference_.emplace(window_.panel(), window_.map(), study_, *sources_, samples_, index_);
}

CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated) {
  const float factor = rates.multiplier / estimated.multiplier;
  estimated.multiplier = rates.multiplier;
  estimated.mismatch_probability = rates.mismatch_probability;
  for (float& t : estimated.switch_probability) t = SwitchProbability(t * factor);
  return estimated;
}

}  // namespace haplospin
