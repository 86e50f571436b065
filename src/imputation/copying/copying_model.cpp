#include "imputation/copying/copying_model.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "imputation/copying/forward_backward.h"

namespace haplospin {
namespace {

constexpr float kSwitchesPerMorgan = 265;  // initial value; the estimate depends little on it
constexpr double kPriorHaplotypes = 20;    // weight of "in proportion to genetic distance"
constexpr float kMin = 1e-6f;
constexpr float kMax = 0.5f;

// Of the expected mismatches: the value with the most accurate dosages, in panels with and without errors.
constexpr double kMismatchFactor = 0.25;
constexpr float kMinMismatch = 3e-4f;

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

CopyingModel Multiplied(CopyingModel model, const CopyingOptions& options) {
  for (float& t : model.switch_probability) t = Clamped(t * options.rate_multiplier);
  return model;
}

// The probability that the target's allele at typed marker j is a mismatch, given all alleles. `forward` and `backward`
// both have seen it.
double ExpectMismatch(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target, size_t j,
                      const CopyingStates& states, const CopyState& forward, const CopyState& backward) {
  const uint8_t allele = target.alleles[j];
  const float mismatch = model.mismatch_probability;
  const AlleleSums joint = SumPairsByAllele(states.site_bits(j), states.size(), forward.values, backward.values);
  const float same = (allele == 1 ? joint.one : joint.zero) / (1 - mismatch);
  const float other = (allele == 1 ? joint.zero : joint.one) / mismatch;
  const float of_rest = AlleleProbabilityOfRest(panel, model, allele, j);
  const float rest = JointOfRest(states, forward, backward) / of_rest;
  const float rest_mismatch = (1 - panel.frequency(j, allele)) * mismatch / of_rest;
  return double{other + rest * rest_mismatch} / double{same + other + rest};
}

// The expected switches of panel haplotypes that copy the others, and their expected mismatches.
class Expectation {
 public:
  Expectation(const TypedPanel& panel, const CopyingOptions& options)
      : panel_(panel),
        used_(std::min(panel.num_haplotypes(), options.max_haplotypes)),
        gaps_(panel.num_typed() - 1),
        haplotypes_(Haplotypes()),
        selection_(panel, Targets(), options.states),
        switches_(used_ * gaps_),
        mismatches_(used_) {}

  size_t num_haplotypes() const { return used_; }

  void Run(const CopyingModel& model) {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, used_, 1), [&](const tbb::blocked_range<size_t>& range) {
      for (size_t k = range.begin(); k < range.end(); ++k) RunHaplotype(model, k);
    });
  }

  // [gaps] of all haplotypes.
  std::vector<double> Switches() const {
    std::vector<double> sums(gaps_);
    for (size_t k = 0; k < used_; ++k) {
      for (size_t j = 0; j < gaps_; ++j) sums[j] += switches_[k * gaps_ + j];
    }
    return sums;
  }

  // Per allele.
  double MismatchRate() const {
    const double sum = std::accumulate(mismatches_.begin(), mismatches_.end(), 0.0);
    return sum / static_cast<double>(used_ * panel_.num_typed());
  }

 private:
  size_t Haplotype(size_t k) const { return k * panel_.num_haplotypes() / used_; }

  std::vector<TargetHaplotype> Haplotypes() const {
    std::vector<TargetHaplotype> haplotypes;
    haplotypes.reserve(used_);
    for (size_t k = 0; k < used_; ++k) haplotypes.push_back(PanelHaplotype(panel_, Haplotype(k)));
    return haplotypes;
  }

  std::vector<MatchTarget> Targets() const {
    std::vector<MatchTarget> targets;
    targets.reserve(used_);
    for (size_t k = 0; k < used_; ++k) {
      targets.emplace_back(haplotypes_[k], WithNeighbor(Haplotype(k), panel_.num_haplotypes()));
    }
    return targets;
  }

  void RunHaplotype(const CopyingModel& model, size_t k) {
    auto& [recursions, states] = workspaces_.local();
    selection_.Get(k, states);
    const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
      if (interval == 0 || interval == panel_.num_typed()) return;
      const PairSums sums = SumPairs(forward.values, backward.values, states.size());
      const double joint = static_cast<double>(sums.joint + JointOfRest(states, forward, backward)) / forward.sum;
      const double mean = static_cast<double>(sums.backward + backward.rest) / static_cast<double>(states.num_copied());
      const double t = model.switch_probability[interval - 1];
      switches_[k * gaps_ + interval - 1] = static_cast<float>(t * mean / ((1 - t) * joint + t * mean));
    };
    mismatches_[k] = 0;
    const auto visit_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
      mismatches_[k] += ExpectMismatch(panel_, model, haplotypes_[k], j, states, forward, backward);
    };
    recursions.Run(panel_, model, haplotypes_[k], states, visit, visit_typed);
  }

  const TypedPanel& panel_;
  const size_t used_;
  const size_t gaps_;
  const std::vector<TargetHaplotype> haplotypes_;
  const StateSelection selection_;
  std::vector<float> switches_;     // [haplotypes, gaps], so that sums do not depend on the threads
  std::vector<double> mismatches_;  // [haplotypes]
  tbb::enumerable_thread_specific<std::pair<ForwardBackward, CopyingStates>> workspaces_;
};

}  // namespace

CopyingModel EstimateCopyingModel(const TypedPanel& panel, const CopyingOptions& options) {
  const size_t gaps = panel.num_typed() - 1;
  std::vector<double> by_distance(gaps);
  for (size_t j = 0; j < gaps; ++j) by_distance[j] = 1 - std::exp(-kSwitchesPerMorgan * panel.morgans()[j]);
  CopyingModel model;
  model.mismatch_probability = options.max_mismatch_probability;
  model.switch_probability.resize(gaps);
  std::transform(by_distance.begin(), by_distance.end(), model.switch_probability.begin(), Clamped);
  if (gaps == 0 || panel.num_haplotypes() <= 2) return Multiplied(model, options);

  Expectation expectation(panel, options);
  const auto used = static_cast<double>(expectation.num_haplotypes());
  const double total_by_distance = std::accumulate(by_distance.begin(), by_distance.end(), 0.0);
  for (int round = 0; round < options.rounds; ++round) {
    expectation.Run(model);
    const std::vector<double> expected = expectation.Switches();
    const double scale = std::accumulate(expected.begin(), expected.end(), 0.0) / (used * total_by_distance);
    for (size_t j = 0; j < gaps; ++j) {
      model.switch_probability[j] =
          Clamped((expected[j] + kPriorHaplotypes * scale * by_distance[j]) / (used + kPriorHaplotypes));
    }
  }
  const double mismatch = kMismatchFactor * expectation.MismatchRate();
  model.mismatch_probability =
      std::clamp(static_cast<float>(mismatch), kMinMismatch, std::max(kMinMismatch, options.max_mismatch_probability));
  return Multiplied(model, options);
}

}  // namespace haplospin
