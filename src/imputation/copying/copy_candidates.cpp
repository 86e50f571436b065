#include "imputation/copying/copy_candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "haplospin/errors.h"
#include "imputation/copying/forward_backward.h"
#include "imputation/copying/leave_one_out.h"

namespace haplospin {
namespace {

constexpr int kMaxRounds = 40;  // ties may prevent the search from converging

HalfStep Halfway(const CopyState& state, float switch_probability, size_t num_copied) {
  return state.Move(1 - std::sqrt(1 - switch_probability), num_copied);
}

}  // namespace

void CopyCandidates::Resize(size_t intervals) {
  count.resize(intervals);
  haplotype.resize(intervals * kMaxCandidates);
  forward.resize(intervals * kMaxCandidates);
  backward.resize(intervals * kMaxCandidates);
}

struct CandidateFinder::Workspace {
  ForwardBackward recursions;
  std::vector<float> products;  // [haplotypes] of one interval
  std::vector<uint32_t> found;  // the best haplotypes, ascending
  std::vector<float> values;    // their products
  std::vector<float> ranked;
  float threshold = 0;  // that found the last interval's

  void FindBest(size_t wanted);
};

// Leaves in `found` the `wanted` haplotypes with the largest products; of equal products, those of the first
// haplotypes.
void CandidateFinder::Workspace::FindBest(size_t wanted) {
  // Halves the interval of possible thresholds, by their logarithm, until little more than wanted is above it.
  // Neighboring intervals have much the same threshold.
  const size_t n = products.size();
  const size_t most = wanted + wanted / 4;
  uint32_t low = 0, high = std::bit_cast<uint32_t>(1.0f);
  uint32_t guess = std::bit_cast<uint32_t>(threshold);
  uint32_t step = uint32_t{1} << 21;  // a quarter of a factor of 2
  for (int round = 0; round < kMaxRounds && low + 1 < high; ++round) {
    const size_t above = CountAbove(products.data(), std::bit_cast<float>(guess), n);
    if (above >= wanted) {
      low = guess;
      if (above <= most) break;
    } else {
      high = guess;
    }
    const bool bracketed = low > 0 && high < std::bit_cast<uint32_t>(1.0f);
    if (bracketed) {
      guess = low + (high - low) / 2;
    } else {
      guess = above >= wanted ? std::min(guess + step, high - 1) : guess > step ? guess - step : 0;
      step *= 2;
    }
  }
  threshold = std::bit_cast<float>(low);
  // The products of haplotypes that can be copied are above 0, those of others below.
  const size_t size = CollectAbove(products.data(), threshold, n, found.data(), values.data());
  HS_ASSERT(size >= wanted);
  ranked.assign(values.begin(), values.begin() + size);
  std::nth_element(ranked.begin(), ranked.begin() + wanted - 1, ranked.end(), std::greater<>());
  const float least = ranked[wanted - 1];
  size_t ties = wanted - std::count_if(values.begin(), values.begin() + size, [&](float v) { return v > least; });
  size_t kept = 0;
  for (size_t k = 0; k < size; ++k) {
    if (values[k] < least || (values[k] == least && ties == 0)) continue;
    if (values[k] == least) --ties;
    found[kept++] = found[k];
  }
}

CandidateFinder::CandidateFinder() : workspace_(std::make_unique<Workspace>()) {}
CandidateFinder::~CandidateFinder() = default;
CandidateFinder::CandidateFinder(CandidateFinder&&) noexcept = default;

void CandidateFinder::Find(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                           const CopyingStates& states, CopyCandidates& candidates, std::span<float> left_out) {
  Workspace& w = *workspace_;
  const size_t n = states.size();
  const size_t m = panel.num_typed();
  w.products.resize(n);
  w.found.resize(n + 64);
  w.values.resize(n + 64);
  w.threshold = 1e-6f;
  candidates.Resize(panel.num_intervals());

  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
    if (!panel.is_anchor(interval)) return;
    const size_t copied = states.num_copied();
    const bool inner = interval > 0 && interval < m;
    const float switching = inner ? model.switch_probability[interval - 1] : 0.0f;
    const HalfStep f = Halfway(forward, switching, copied);
    const HalfStep b = Halfway(backward, switching, copied);
    const size_t wanted = std::min(kMaxCandidates, n - states.excluded().size());
    MultiplyHalfSteps(forward.values, f, backward.values, b, n, w.products.data());
    for (uint32_t s : states.excluded()) w.products[s] = -1;
    w.FindBest(wanted);

    candidates.count[interval] = static_cast<uint16_t>(wanted);
    const float scale = static_cast<float>(copied);
    for (size_t k = 0; k < wanted; ++k) {
      const uint32_t s = w.found[k];
      const size_t slot = interval * kMaxCandidates + k;
      candidates.haplotype[slot] = states.haplotype(s, interval);
      candidates.forward[slot] = (forward.values[s] * f.keep + f.jump) * scale;
      candidates.backward[slot] = (backward.values[s] * b.keep + b.jump) * scale;
    }
  };
  const auto visit_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
    left_out[j] = AltProbabilityWithoutOwnAllele(panel, states, model, target.alleles[j], j, forward, backward);
  };
  if (left_out.empty()) {
    w.recursions.Run(panel, model, target, states, visit);
  } else {
    HS_ASSERT(left_out.size() == m);
    w.recursions.Run(panel, model, target, states, visit, visit_typed);
  }
}

}  // namespace haplospin
