#include "genotypes/imputation/models/copying/copying_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/copying/copying_sample.h"

namespace haplospin {
namespace {

// Initial switch rate. The estimate depends little on it, but on a sparse array it must not be so large that a
// haplotype is hardly ever copied from one typed marker to the next, because the estimate would then change very
// slowly.
constexpr double kSwitchesPerMorgan = 265, kMaxSwitchesPerGap = 0.1;

constexpr double kPriorHaplotypes = 20;  // weight of switches in proportion to genetic distance

// Switches in a population of close relatives. Sparse arrays cannot distinguish fewer switches from none.
constexpr double kMinSwitchesPerMorgan = 5;

// Maximum mean of the multiplied switch probabilities. The factor is reduced to reach it, but not below 1.
constexpr double kMaxMultipliedMean = 0.12;

constexpr size_t kFirstStep = 4;  // The first round uses every fourth haplotype of a large panel's sample.

// More rounds than usual are run as long as the expected switches change by more than this share.
constexpr double kEmChange = 0.15;
constexpr int kMaxEmRounds = 10;

// The mismatch probability is this share of the expected mismatches, which gives the most accurate dosages in panels
// with and without errors.
constexpr double kMismatchFactor = 0.25;
constexpr float kMinMismatch = 1e-4f;

// A haplotype and its neighbor, which belongs to the same sample except in haploid panels; there, leaving out one more
// does no harm.
ExcludedHaplotypes WithNeighbor(size_t h, size_t num_haplotypes) {
  ExcludedHaplotypes excluded;
  excluded.haplotypes[excluded.count++] = static_cast<uint32_t>(h);
  if ((h ^ 1) < num_haplotypes && num_haplotypes > 2)
    excluded.haplotypes[excluded.count++] = static_cast<uint32_t>(h ^ 1);
  return excluded;
}

// Returns the model to impute with. If switches are frequent, as in very small panels, they are multiplied by less,
// because with the full factor a match would hardly reach beyond the next typed markers.
CopyingModel ModelToImputeWith(const std::vector<float>& estimates, double mismatch, const CopyingOptions& options) {
  CopyingModel model;
  model.mismatch_probability =
      std::clamp(static_cast<float>(mismatch), kMinMismatch, std::max(kMinMismatch, options.max_mismatch_probability));
  if (estimates.empty()) return model;
  const double mean = std::accumulate(estimates.begin(), estimates.end(), 0.0) / static_cast<double>(estimates.size());
  const double factor = std::min(std::max(kMaxMultipliedMean / mean, 1.0), double{options.rate_multiplier});
  for (const float t : estimates) model.switch_probability.push_back(SwitchProbability(factor * double{t}));
  model.multiplier = static_cast<float>(factor);
  return model;
}

// Returns the switch probabilities of the initial model, [typed - 1].
std::vector<double> InitialSwitches(const TypedPanel& panel) {
  const std::span<const float> morgans = panel.morgans();
  const double length = std::accumulate(morgans.begin(), morgans.end(), 0.0);
  const double rate = std::min(kSwitchesPerMorgan, kMaxSwitchesPerGap * static_cast<double>(morgans.size()) / length);
  std::vector<double> probability;
  probability.reserve(morgans.size());
  for (const float gap : morgans) probability.push_back(1 - std::exp(-rate * static_cast<double>(gap)));
  return probability;
}

// Returns every `step`-th haplotype of the sample.
CopyingSample EveryNth(const PanelSample& sample, const TypedPanel& panel, const StateSelection& selection,
                       size_t step) {
  std::vector<const TargetHaplotype*> chosen;
  std::vector<size_t> selected;
  for (size_t k = 0; k < sample.haplotypes().size(); k += step) {
    chosen.push_back(&sample.haplotypes()[k]);
    selected.push_back(k);
  }
  return {panel, chosen, selection, selected};
}

// Returns 64 candidates in panels of up to 2,000 haplotypes, and the most in panels of 3,000. Vector loops take
// multiples of kCandidateStep. All haplotypes of a tiny panel are candidates.
size_t CandidatesForPanel(size_t num_haplotypes) {
  if (num_haplotypes <= kMaxCandidates) return kMaxCandidates;
  constexpr size_t kSmallPanel = 2000, kFewCandidates = 64;
  const size_t candidates = kFewCandidates * num_haplotypes / kSmallPanel / kCandidateStep * kCandidateStep;
  return std::clamp(candidates, kFewCandidates, kMaxCandidates);
}

}  // namespace

float SwitchProbability(double probability) {
  constexpr float kMin = 1e-6f, kMax = 0.5f;
  return std::clamp(static_cast<float>(probability), kMin, kMax);
}

CopyingOptions CopyingOptions::ForPanel(size_t num_haplotypes) const {
  constexpr double kMoreMatches = 5000, kFewerMatches = 100'000, kMaxGrowth = 4;
  const auto n = static_cast<double>(num_haplotypes);
  const double growth = std::clamp(n / kMoreMatches, 1.0, kMaxGrowth);
  const double excess = std::clamp(n / kFewerMatches, 1.0, kMaxGrowth);
  const auto times = [](size_t count, double factor) {
    return static_cast<size_t>(std::lround(static_cast<double>(count) * factor));
  };
  CopyingOptions options = *this;
  options.max_candidates = std::min(max_candidates, CandidatesForPanel(num_haplotypes));
  options.states.matches.per_block = times(states.matches.per_block, growth * growth / std::sqrt(excess));
  options.states.max_states = times(states.max_states, std::pow(growth, 0.7075));
  // The exponents lead from 768, 4.5 and 0.01 to 2,048, 2 and 0.03 where `growth` is largest, which were chosen on
  // panels of 20,000 to 100,000 haplotypes (benchmarks/imputation/LOG.md, "Matches, states and switches of large
  // panels").
  options.rate_multiplier *= static_cast<float>(std::pow(growth, -0.6));
  options.min_mismatch_gain *= std::pow(growth, 0.8);
  return options;
}

PanelSample::PanelSample(const TypedPanel& panel, const CopyingOptions& options) {
  const size_t n = panel.num_haplotypes();
  if (panel.num_typed() < 2 || n <= 2) return;  // Switches are impossible.
  const size_t count = std::min(n, options.max_haplotypes);
  for (size_t k = 0; k < count; ++k) {
    const size_t h = k * n / count;
    haplotypes_.push_back(PanelHaplotype(panel, h, WithNeighbor(h, n)));
  }
}

PanelCopying EstimatePanelCopying(const TypedPanel& panel, const PanelSample& sample, const StateSelection& selection,
                                  const CopyingOptions& options) {
  const std::vector<double> by_distance = InitialSwitches(panel);
  const size_t gaps = by_distance.size();
  CopyingModel model;
  model.mismatch_probability = options.max_mismatch_probability;
  model.switch_probability.resize(gaps);
  std::transform(by_distance.begin(), by_distance.end(), model.switch_probability.begin(), SwitchProbability);
  PanelCopying copying;
  if (sample.haplotypes().empty()) {
    copying.switch_probability = model.switch_probability;
    copying.model = ModelToImputeWith(model.switch_probability, options.max_mismatch_probability, options);
    return copying;
  }

  const double total_by_distance = std::accumulate(by_distance.begin(), by_distance.end(), 0.0);
  const bool is_whole_panel = sample.haplotypes().size() == panel.num_haplotypes();
  double before = 0;
  const auto changes = [&] { return std::abs(copying.switches - before) > kEmChange * before; };
  for (int round = 0; round < options.rounds || (round < kMaxEmRounds && changes()); ++round) {
    before = copying.switches;
    CopyingSample part = EveryNth(sample, panel, selection, round > 0 || is_whole_panel ? 1 : kFirstStep);
    part.Run(model);
    copying.last_round = model;
    copying.mismatch_rate = part.MismatchRate();
    copying.unmatched_share = part.UnmatchedShare();
    const auto used = static_cast<double>(part.num_haplotypes());
    const std::vector<double> expected = part.Switches();
    const double switches = std::accumulate(expected.begin(), expected.end(), 0.0);
    copying.switches = switches / used;
    const double scale = copying.switches / total_by_distance;
    for (size_t j = 0; j < gaps; ++j) {
      const double mean = (expected[j] + kPriorHaplotypes * scale * by_distance[j]) / (used + kPriorHaplotypes);
      const double min = kMinSwitchesPerMorgan * static_cast<double>(panel.morgans()[j]);
      model.switch_probability[j] = SwitchProbability(std::max(mean, min));
    }
  }
  copying.switch_probability = std::move(model.switch_probability);
  copying.model = ModelToImputeWith(copying.switch_probability, kMismatchFactor * copying.mismatch_rate, options);
  return copying;
}

void SpreadSwitches(std::span<const uint32_t> markers, std::span<const float> morgans, PanelCopying& copying) {
  std::vector<double> position{0};  // [typed] Morgans
  for (const float gap : morgans) position.push_back(position.back() + gap);
  for (std::vector<float>* probability :
       {&copying.switch_probability, &copying.model.switch_probability, &copying.last_round.switch_probability}) {
    if (probability->empty()) continue;
    double rates = 0;  // of all switches
    for (const float t : *probability) rates -= std::log1p(-double{t});
    const double mean = rates / (position[markers.back()] - position[markers.front()]);
    std::vector<float> spread;
    spread.reserve(morgans.size());
    size_t next = 0;  // marker at the end of the gap or after it
    for (size_t j = 0; j < morgans.size(); ++j) {
      while (next < markers.size() && markers[next] <= j) ++next;
      const bool is_between = next > 0 && next < markers.size();
      const double rate = is_between ? -std::log1p(-double{(*probability)[next - 1]}) /
                                           (position[markers[next]] - position[markers[next - 1]])
                                     : mean;
      spread.push_back(SwitchProbability(1 - std::exp(-rate * double{morgans[j]})));
    }
    *probability = std::move(spread);
  }
}

PanelCopying EarlierPanelCopying(std::vector<float> switch_probability, double mismatch_rate, double unmatched_share,
                                 const CopyingOptions& options) {
  PanelCopying copying{.mismatch_rate = mismatch_rate, .unmatched_share = unmatched_share};
  copying.last_round.mismatch_probability = options.max_mismatch_probability;
  copying.last_round.switch_probability = switch_probability;
  copying.switches = std::accumulate(switch_probability.begin(), switch_probability.end(), 0.0);
  copying.model = ModelToImputeWith(switch_probability, kMismatchFactor * mismatch_rate, options);
  copying.switch_probability = std::move(switch_probability);
  return copying;
}

PanelCopying EstimatePanelCopying(const TypedPanel& panel, const CopyingOptions& options) {
  const PanelSample sample(panel, options);
  const StateSelection selection(panel, PointersTo(sample.haplotypes()), options.states);
  return EstimatePanelCopying(panel, sample, selection, options);
}

}  // namespace haplospin
