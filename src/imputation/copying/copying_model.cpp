#include "imputation/copying/copying_model.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "imputation/copying/forward_backward.h"

namespace haplospin {
namespace {

constexpr float kSwitchesPerMorgan = 265;  // initial value; the estimate depends little on it
constexpr double kPriorHaplotypes = 20;    // weight of "in proportion to genetic distance"
constexpr float kMin = 1e-6f;
constexpr float kMax = 0.5f;

float Clamped(double probability) { return std::clamp(static_cast<float>(probability), kMin, kMax); }

// A haplotype of the panel as a target that is imputed from the others.
TargetHaplotype PanelHaplotype(const TypedPanel& panel, size_t h) {
  std::vector<uint8_t> alleles(panel.num_typed());
  const uint64_t* bits = panel.haplotype_bits(h);
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = bits[j / 64] >> (j % 64) & 1;
  return TargetHaplotype(std::move(alleles));
}

// A haplotype and its neighbor, which belongs to the same sample except in haploid panels; there, leaving out one more
// does no harm.
ExcludedHaplotypes WithNeighbor(size_t h, size_t num_haplotypes) {
  ExcludedHaplotypes excluded;
  excluded.haplotypes[excluded.count++] = static_cast<uint32_t>(h);
  if ((h ^ 1) < num_haplotypes && num_haplotypes > 2)
    excluded.haplotypes[excluded.count++] = static_cast<uint32_t>(h ^ 1);
  return excluded;
}

// Expected switches of one haplotype in each interval between two typed markers.
void ExpectSwitches(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                    const CopyingStates& states, ForwardBackward& recursions, float* switches) {
  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
    if (interval == 0 || interval == panel.num_typed()) return;
    const PairSums sums = SumPairs(forward.values, backward.values, states.size());
    const double joint = static_cast<double>(sums.joint + JointOfRest(states, forward, backward)) / forward.sum;
    const double mean = static_cast<double>(sums.backward + backward.rest) / static_cast<double>(states.num_copied());
    const double t = model.switch_probability[interval - 1];
    switches[interval - 1] = static_cast<float>(t * mean / ((1 - t) * joint + t * mean));
  };
  recursions.Run(panel, model, target, states, visit);
}

}  // namespace

CopyingModel EstimateCopyingModel(const TypedPanel& panel, const CopyingOptions& options) {
  const size_t gaps = panel.num_typed() - 1;
  const size_t n = panel.num_haplotypes();
  const size_t used = std::min(n, options.max_haplotypes);

  std::vector<double> by_distance(gaps);
  double total_by_distance = 0;
  for (size_t j = 0; j < gaps; ++j) {
    total_by_distance += by_distance[j] = 1 - std::exp(-kSwitchesPerMorgan * panel.morgans()[j]);
  }
  CopyingModel model;
  model.mismatch_probability = options.mismatch_probability;
  model.switch_probability.resize(gaps);
  std::transform(by_distance.begin(), by_distance.end(), model.switch_probability.begin(), Clamped);

  std::vector<TargetHaplotype> haplotypes;
  for (size_t k = 0; k < used; ++k) haplotypes.push_back(PanelHaplotype(panel, k * n / used));
  std::vector<MatchTarget> targets;
  for (size_t k = 0; k < used; ++k) targets.emplace_back(haplotypes[k], WithNeighbor(k * n / used, n));
  const StateSelection selection(panel, targets, options.states);

  std::vector<float> switches(used * gaps);  // each haplotype its row, so that sums do not depend on the threads
  tbb::enumerable_thread_specific<std::pair<ForwardBackward, CopyingStates>> workspaces;
  for (int round = 0; round < options.rounds && gaps > 0 && n > 2; ++round) {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, used, 1), [&](const tbb::blocked_range<size_t>& range) {
      for (size_t k = range.begin(); k < range.end(); ++k) {
        auto& [recursions, states] = workspaces.local();
        selection.Get(k, states);
        ExpectSwitches(panel, model, haplotypes[k], states, recursions, switches.data() + k * gaps);
      }
    });
    std::vector<double> expected(gaps);
    double total = 0;
    for (size_t k = 0; k < used; ++k) {
      for (size_t j = 0; j < gaps; ++j) expected[j] += switches[k * gaps + j];
    }
    for (double e : expected) total += e;
    const double scale = total / (static_cast<double>(used) * total_by_distance);
    for (size_t j = 0; j < gaps; ++j) {
      const double shrunk =
          (expected[j] + kPriorHaplotypes * scale * by_distance[j]) / (static_cast<double>(used) + kPriorHaplotypes);
      model.switch_probability[j] = Clamped(shrunk);
    }
  }
  for (float& t : model.switch_probability) t = Clamped(t * options.rate_multiplier);
  return model;
}

}  // namespace haplospin
