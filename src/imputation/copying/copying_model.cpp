#include "imputation/copying/copying_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "imputation/copying/copying_sample.h"

namespace haplospin {
namespace {

constexpr float kSwitchesPerMorgan = 265;  // initial value; the estimate depends little on it
constexpr double kPriorHaplotypes = 20;    // weight of "in proportion to genetic distance"

constexpr size_t kEarlyStep = 4;  // rounds before the last one use one haplotype of a large panel's sample in so many

// Of the expected mismatches: the value with the most accurate dosages, in panels with and without errors.
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

CopyingModel Multiplied(CopyingModel model, const CopyingOptions& options) {
  for (float& t : model.switch_probability) t = SwitchProbability(t * options.rate_multiplier);
  return model;
}

// One haplotype of the sample in `step`.
CopyingSample PartOf(const PanelSample& sample, const TypedPanel& panel, const StateSelection& selection, size_t step) {
  std::vector<const TargetHaplotype*> chosen;
  std::vector<size_t> selected;
  for (size_t k = 0; k < sample.haplotypes().size(); k += step) {
    chosen.push_back(&sample.haplotypes()[k]);
    selected.push_back(k);
  }
  return {panel, chosen, selection, selected};
}

}  // namespace

float SwitchProbability(double probability) {
  constexpr float kMin = 1e-6f, kMax = 0.5f;
  return std::clamp(static_cast<float>(probability), kMin, kMax);
}

CopyingOptions CopyingOptions::ForPanel(size_t num_haplotypes) const {
  constexpr double kAllMatches = 2000, kMoreMatches = 5000, kFewerMatches = 100'000, kMaxGrowth = 4;
  const auto n = static_cast<double>(num_haplotypes);
  const double share = std::clamp(n / kAllMatches, 0.5, 1.0);
  const double growth = std::clamp(n / kMoreMatches, 1.0, kMaxGrowth);
  const double excess = std::clamp(n / kFewerMatches, 1.0, kMaxGrowth);
  const auto times = [](size_t count, double factor) {
    return static_cast<size_t>(std::lround(static_cast<double>(count) * factor));
  };
  CopyingOptions options = *this;
  options.states.matches.per_block = times(states.matches.per_block, share * growth * growth / std::sqrt(excess));
  options.states.max_states = times(states.max_states, std::sqrt(growth));
  // From 4.5 and 0.01 to 2 and 0.03 where `growth` is largest: chosen on panels of 20,000 to 100,000 haplotypes
  // (benchmarks/imputation/LOG.md, "Matches, states and switches of large panels"); the exponents only lead there.
  options.rate_multiplier *= static_cast<float>(std::pow(growth, -0.6));
  options.min_mismatch_gain *= std::pow(growth, 0.8);
  return options;
}

PanelSample::PanelSample(const TypedPanel& panel, const CopyingOptions& options) {
  const size_t n = panel.num_haplotypes();
  if (panel.num_typed() < 2 || n <= 2) return;  // nothing to switch at, or to
  const size_t count = std::min(n, options.max_haplotypes);
  haplotypes_.reserve(count);  // the targets point to them
  for (size_t k = 0; k < count; ++k) {
    const size_t h = k * n / count;
    haplotypes_.push_back(PanelHaplotype(panel, h));
    targets_.emplace_back(haplotypes_.back(), WithNeighbor(h, n));
  }
}

PanelCopying EstimatePanelCopying(const TypedPanel& panel, const PanelSample& sample, const StateSelection& selection,
                                  const CopyingOptions& options) {
  const size_t gaps = panel.num_typed() - 1;
  std::vector<double> by_distance(gaps);
  for (size_t j = 0; j < gaps; ++j) by_distance[j] = 1 - std::exp(-kSwitchesPerMorgan * panel.morgans()[j]);
  CopyingModel model;
  model.mismatch_probability = options.max_mismatch_probability;
  model.switch_probability.resize(gaps);
  std::transform(by_distance.begin(), by_distance.end(), model.switch_probability.begin(), SwitchProbability);
  PanelCopying copying{.model = model};
  if (sample.haplotypes().empty()) {
    copying.model = Multiplied(model, options);
    return copying;
  }

  const double total_by_distance = std::accumulate(by_distance.begin(), by_distance.end(), 0.0);
  const bool is_whole_panel = sample.haplotypes().size() == panel.num_haplotypes();
  for (int round = 0; round < options.rounds; ++round) {
    const bool is_last = round + 1 == options.rounds;
    CopyingSample part = PartOf(sample, panel, selection, is_last || is_whole_panel ? 1 : kEarlyStep);
    part.Run(model);
    copying.last_round = model;
    copying.mismatch_rate = part.MismatchRate();
    copying.unmatched_share = part.UnmatchedShare();
    const auto used = static_cast<double>(part.num_haplotypes());
    const std::vector<double> expected = part.Switches();
    const double switches = std::accumulate(expected.begin(), expected.end(), 0.0);
    copying.switches = switches / used;
    const double scale = switches / (used * total_by_distance);
    for (size_t j = 0; j < gaps; ++j) {
      model.switch_probability[j] =
          SwitchProbability((expected[j] + kPriorHaplotypes * scale * by_distance[j]) / (used + kPriorHaplotypes));
    }
  }
  const double mismatch = kMismatchFactor * copying.mismatch_rate;
  model.mismatch_probability =
      std::clamp(static_cast<float>(mismatch), kMinMismatch, std::max(kMinMismatch, options.max_mismatch_probability));
  copying.model = Multiplied(model, options);
  return copying;
}

PanelCopying EstimatePanelCopying(const TypedPanel& panel, const CopyingOptions& options) {
  const PanelSample sample(panel, options);
  return EstimatePanelCopying(panel, sample, {panel, sample.targets(), options.states}, options);
}

CopyingModel EstimateCopyingModel(const TypedPanel& panel, const CopyingOptions& options) {
  return EstimatePanelCopying(panel, options).model;
}

}  // namespace haplospin
