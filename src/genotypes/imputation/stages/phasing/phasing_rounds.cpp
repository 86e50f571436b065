#include "genotypes/imputation/stages/phasing/phasing_rounds.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/phasing/sample_phaser.h"
#include "genotypes/imputation/stages/phasing/cluster_haplotypes.h"
#include "genotypes/imputation/stages/phasing/first_haplotypes.h"
#include "genotypes/imputation/stages/phasing/marker_facts.h"
#include "genotypes/imputation/stages/phasing/pair_matches.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Keys of random streams; those of rounds follow, and kNextChain later those of the next chain.
enum Step : uint64_t { kFirstPhase, kPopulations, kDraw, kImprove = 1000, kNextChain = 1'000'000 };

// Returns whether a sample lacks so many more alleles than another one that it is on a smaller chip.
bool LacksFarMore(const SampleGenotypes& sample, const SampleGenotypes& other) {
  constexpr size_t kMoreMissing = 2;
  return IsIncomplete(sample) && sample.missing.size() >= kMoreMissing * other.missing.size();
}

class PhasingRounds {
 public:
  PhasingRounds(const PhasingTask& task, std::vector<SampleGenotypes> samples)
      : task_(task), plan_(task.plan), samples_(std::move(samples)) {
    HS_ASSERT(task.group.index.size() == samples_.size());
    HS_ASSERT((task.estimates != nullptr) == plan_.copies_panel);
    if (plan_.rare_frequency) frequent_.emplace(task.window, *plan_.rare_frequency);
  }

  void FindFirst(std::span<PhaseDraws> draws);
  void Improve();
  void Draw(std::span<PhaseDraws> draws);

  PhasedHaplotypes Take() {
    CopyingModel model = ModelWith(plan_.rates);
    if (!task_.is_left_out.empty()) reference_ = Reference({});
    return {std::move(samples_), std::move(*reference_), std::move(model)};
  }

 private:
  using ForSample = std::function<void(SamplePhaser&, size_t, const PhasingSources&)>;
  void ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function);
  std::vector<ExcludedStretch> ExcludeOthers(size_t k) const;
  void Exclude(size_t k, uint32_t begin, uint32_t end, std::vector<ExcludedStretch>& excluded_stretches) const;
  void FindPassiveGenotypes();
  void FindFromPanel();
  void FindFromNeighbors();
  void FindFromGuess();
  void FindFromClusters(std::span<PhaseDraws> draws);
  std::vector<PopulationMixture> FindMixtures();
  PhasingReference Reference(const std::vector<bool>& is_left_out) const;
  void UpdateReference();
  void EstimateModel();
  CopyingModel ModelWith(PhasingRates rates) const;
  RandomStream Random(size_t k, uint64_t stage) const;

  const WindowStudy& study() const { return task_.study; }
  const std::vector<size_t>& index() const { return task_.group.index; }

  const PhasingTask& task_;
  const PhasingPlan& plan_;
  std::vector<SampleGenotypes> samples_;
  std::optional<FrequentMarkers> frequent_;  // where matches are searched; none: at all typed markers
  std::optional<PhasingReference> reference_;
  tbb::enumerable_thread_specific<std::unique_ptr<SamplePhaser>> workspaces_;
  bool excludes_identical_ = false, excludes_incomplete_ = false;  // in the present round
  std::optional<CopyingModel> estimated_;  // from the samples' own haplotypes, where the plan asks for this
};

void PhasingRounds::FindFirst(std::span<PhaseDraws> draws) {
  if (plan_.rare_frequency) FindPassiveGenotypes();
  switch (plan_.first) {
    case FirstHaplotypes::kPanel:
      return FindFromPanel();
    case FirstHaplotypes::kNeighbors:
      return FindFromNeighbors();
    case FirstHaplotypes::kGuess:
      return FindFromGuess();
    case FirstHaplotypes::kClusters:
      return FindFromClusters(draws);
  }
}

void PhasingRounds::FindPassiveGenotypes() {
  std::vector<float> frequency;  // [typed]
  std::vector<int64_t> positions;
  for (const uint32_t m : task_.window.typed_markers()) {
    frequency.push_back(AltFrequency(task_.window.panel(), m));
    positions.push_back(task_.window.panel().marker(m).position);
  }
  const std::vector<double> centimorgans = TypedCentimorgans(task_.window);
  for (size_t k = 0; k < samples_.size(); ++k) {
    SampleGenotypes& sample = samples_[k];
    sample.is_passive = PassiveGenotypes(sample, frequency, *plan_.rare_frequency);
    if (!plan_.assigns_reads) continue;
    sample.reads = CollectReads(study(), index()[k], {frequency, *plan_.rare_frequency, centimorgans, positions});
  }
}

// Samples do not copy each other here, because their phase is not known at all.
void PhasingRounds::FindFromPanel() {
  reference_.emplace(task_.window.typed_panel());
  const auto find_phase = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    phaser.FindFirstPhase(samples_[k], sources, plan_.first_sweeps, Random(k, kFirstPhase));
  };
  ForEachSample(ModelWith(plan_.rates), false, plan_.first_sweeps, find_phase);
}

void PhasingRounds::FindFromNeighbors() {
  const SampleRange& range = task_.group.range;
  GuessHaplotypes(PresentAlleles(study(), range, samples_, index()), RangeHaplotypes(study(), range, index()),
                  TypedCentimorgans(task_.window), samples_);
}

void PhasingRounds::FindFromGuess() {
  for (size_t k = 0; k < samples_.size(); ++k) {
    SampleGenotypes& sample = samples_[k];
    const uint32_t first = study().samples().first_haplotype[index()[k]];
    for (size_t h = 0; h < sample.hets.size(); ++h) {
      if (sample.IsGiven(h)) continue;
      const uint32_t j = sample.hets[h];
      for (size_t c = 0; c < 2; ++c) sample.alleles[c][j] = study().row(j).guess[first] == 1 ? 1 - c : c;
    }
    sample.imputed = {};
    for (const uint32_t j : sample.missing) {
      for (size_t c = 0; c < 2; ++c) {
        const bool is_alt = c < sample.ploidy && study().row(j).guess[first + c] == 1;
        sample.imputed[c].push_back(is_alt ? kCertainAlt : 0);
      }
    }
  }
}

void PhasingRounds::FindFromClusters(std::span<PhaseDraws> draws) {
  std::vector<std::string> names;
  for (const size_t s : index()) names.push_back(study().samples().names[s]);
  std::vector<MissingAlleles> average(samples_.size());
  GuessFromClusters(TypedCentimorgans(task_.window), names, task_.seed, samples_, average);
  for (size_t k = 0; k < samples_.size(); ++k) draws[k].missing = std::move(average[k]);
}

void PhasingRounds::Improve() {
  const int sweeps = plan_.improvement.sweeps;
  const int rounds = task_.schedule.improvement_rounds;
  excludes_identical_ = !task_.identical.empty();
  for (int round = 0; round < rounds; ++round) {
    excludes_incomplete_ = excludes_identical_ && round < rounds / 2;
    UpdateReference();
    if (plan_.estimates_model && round == 0) EstimateModel();
    const auto improve = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      phaser.Improve(samples_[k], sources, sweeps, Random(k, kImprove + static_cast<uint64_t>(round)));
    };
    ForEachSample(ModelWith(plan_.improvement.rates), true, sweeps, improve);
  }
}

void PhasingRounds::Draw(std::span<PhaseDraws> draws) {
  UpdateReference();
  if (plan_.estimates_model) EstimateModel();
  if (samples_.empty()) return;
  const std::vector<PopulationMixture> mixtures = FindMixtures();
  for (size_t round = 0; round < task_.schedule.draw_rounds; ++round) {
    UpdateReference();
    const auto draw = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
      phaser.Draw(samples_[k], sources, mixtures[k], plan_.draws, Random(k, kDraw + round), draws[k]);
    };
    const PhasingRates& rates = plan_.draw_rates[round % plan_.draw_rates.size()];
    ForEachSample(ModelWith(rates), true, plan_.draws.burn_in + plan_.draws.averaged, draw);
  }
}

std::vector<PopulationMixture> PhasingRounds::FindMixtures() {
  std::vector<PopulationMixture> mixtures(samples_.size(), EvenMixture());
  if (!plan_.population_sweeps) return mixtures;
  const auto find_populations = [&](SamplePhaser& phaser, size_t k, const PhasingSources& sources) {
    mixtures[k] = phaser.FindPopulations(samples_[k], sources, *plan_.population_sweeps, Random(k, kPopulations));
  };
  ForEachSample(ModelWith(plan_.rates), true, *plan_.population_sweeps, find_populations);
  return mixtures;
}

void PhasingRounds::ForEachSample(const CopyingModel& model, bool with_matches, int sweeps, const ForSample& function) {
  const double work = task_.work * sweeps / CountSweeps(plan_, task_.schedule);
  const PanelPopulations* populations = plan_.population_sweeps ? task_.estimates->populations.get() : nullptr;
  const size_t max_states = with_matches ? plan_.max_states : plan_.first_states;
  const HaplotypeRows rows = reference_->rows();
  for (size_t begin = 0; begin < samples_.size(); begin += kSamplesAtATime) {
    const size_t count = std::min(kSamplesAtATime, samples_.size() - begin);
    std::optional<PairMatches> matches;  // none are needed where every haplotype of the reference is a state
    if (with_matches && rows.num_haplotypes > max_states) {
      matches.emplace(*reference_, study(), std::span(samples_).subspan(begin, count),
                      std::span(index()).subspan(begin, count), frequent_ ? &*frequent_ : nullptr, plan_.matches);
    }
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 1), [&](const tbb::blocked_range<size_t>& range) {
      std::unique_ptr<SamplePhaser>& phaser = workspaces_.local();
      if (!phaser) phaser = std::make_unique<SamplePhaser>(populations);
      for (size_t k = range.begin(); k < range.end(); ++k) {
        const std::vector<ExcludedStretch> excluded_stretches = ExcludeOthers(begin + k);
        std::vector<HaplotypeMatch> both;
        if (matches) both = matches->Both(k);
        function(*phaser, begin + k,
                 {rows, both, reference_->Own(study(), index()[begin + k]), model, max_states, reference_->imputed(),
                  excluded_stretches});
        study().Report(work);
      }
    });
  }
}

// Returns what the sample must not copy: others with the same genotypes, and those that lack far more than it does.
std::vector<ExcludedStretch> PhasingRounds::ExcludeOthers(size_t k) const {
  std::vector<ExcludedStretch> excluded_stretches;
  if (excludes_identical_) {
    for (const IdenticalStretch& stretch : task_.identical[k])
      Exclude(stretch.sample, stretch.begin, stretch.end, excluded_stretches);
  }
  for (size_t other = 0; excludes_incomplete_ && other < samples_.size(); ++other) {
    if (LacksFarMore(samples_[other], samples_[k]))
      Exclude(other, 0, static_cast<uint32_t>(study().num_typed()), excluded_stretches);
  }
  std::ranges::sort(excluded_stretches, {},
                    [](const ExcludedStretch& stretch) { return std::pair(stretch.haplotype, stretch.begin); });
  return excluded_stretches;
}

void PhasingRounds::Exclude(size_t k, uint32_t begin, uint32_t end,
                            std::vector<ExcludedStretch>& excluded_stretches) const {
  const ExcludedHaplotypes haplotypes = reference_->Own(study(), index()[k]);
  for (const uint32_t h : haplotypes.span()) excluded_stretches.push_back({h, begin, end});
}

PhasingReference PhasingRounds::Reference(const std::vector<bool>& is_left_out) const {
  const PanelWindow& window = task_.window;
  const bool joins = plan_.copies_each_other && !(plan_.copies_panel && samples_.empty());
  if (!joins) return PhasingReference(window.typed_panel());
  return {window.panel(), window.map(), study(), task_.group.range, samples_, index(), is_left_out};
}

void PhasingRounds::UpdateReference() {
  reference_.reset();  // the memory of the last one
  reference_ = Reference(task_.is_left_out);
}

// The haplotypes that are not copied are most of a herd, and tell as much of the rates as the others.
void PhasingRounds::EstimateModel() {
  std::optional<PhasingReference> all;
  if (!task_.is_left_out.empty()) all = Reference({});
  estimated_ = EstimatePanelCopying((all ? *all : *reference_).panel(), task_.window.options()).model;
}

CopyingModel PhasingRounds::ModelWith(PhasingRates rates) const {
  rates.multiplier *= task_.factors.switching;
  rates.mismatch_probability *= task_.factors.mismatches;
  return WithRates(rates, estimated_ ? *estimated_ : task_.estimates->copying.model);
}

// Keys the stream by name, so that the draws of a sample do not depend on the other samples of the study.
RandomStream PhasingRounds::Random(size_t k, uint64_t stage) const {
  return RandomStream(task_.seed, {HashName(study().samples().names[index()[k]]), stage + task_.chain * kNextChain});
}

}  // namespace

PhasedHaplotypes FindHaplotypes(const PhasingTask& task, std::vector<SampleGenotypes> samples,
                                std::span<PhaseDraws> draws) {
  PhasingRounds rounds(task, std::move(samples));
  rounds.FindFirst(draws);
  rounds.Improve();
  return rounds.Take();
}

PhasedHaplotypes DrawHaplotypes(const PhasingTask& task, std::vector<SampleGenotypes> samples,
                                std::span<PhaseDraws> draws) {
  PhasingRounds rounds(task, std::move(samples));
  rounds.Draw(draws);
  return rounds.Take();
}

CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated) {
  const float factor = rates.multiplier / estimated.multiplier;
  estimated.multiplier = rates.multiplier;
  estimated.mismatch_probability = rates.mismatch_probability;
  for (float& t : estimated.switch_probability) t = SwitchProbability(t * factor);
  return estimated;
}

}  // namespace haplospin
