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
void ExpectSwitches(const TypedPanel& panel, const CopyingModel& model, size_t haplotype, ForwardBackward& recursions,
                    float* switches) {
  const size_t n = panel.num_haplotypes();
  const TargetHaplotype target = PanelHaplotype(panel, haplotype);
  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
    if (interval == 0 || interval == panel.num_typed()) return;
    const PairSums sums = SumPairs(forward.values, backward.values, n);
    const double joint = static_cast<double>(sums.joint) / forward.sum;
    const double mean = static_cast<double>(sums.backward) / static_cast<double>(recursions.num_copied());
    const double t = model.switch_probability[interval - 1];
    switches[interval - 1] = static_cast<float>(t * mean / ((1 - t) * joint + t * mean));
  };
  recursions.Run(panel, model, target, WithNeighbor(haplotype, n), visit);
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

  std::vector<float> switches(used * gaps);  // each haplotype its row, so that sums do not depend on the threads
  tbb::enumerable_thread_specific<ForwardBackward> workspaces;
  for (int round = 0; round < options.rounds && gaps > 0 && n > 2; ++round) {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, used, 1), [&](const tbb::blocked_range<size_t>& range) {
      for (size_t k = range.begin(); k < range.end(); ++k) {
        ExpectSwitches(panel, model, k * n / used, workspaces.local(), switches.data() + k * gaps);
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
