#include "haplospin/imputation/copy_candidates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "imputation/forward_backward.h"

namespace haplospin {
namespace {

// The threshold that found the last interval's candidates is lowered by this much to find this interval's.
constexpr float kMargin = 0.5f;
constexpr float kRetryFactor = 0.05f;

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
  std::vector<uint32_t> found;
  std::vector<float> products;
  std::vector<uint32_t> order;
  float threshold = 0;

  // Fills `found` and `products` with at least `wanted` entries, unless fewer haplotypes can be copied.
  size_t FindAtLeast(size_t wanted, const CopyState& forward, HalfStep f, const CopyState& backward, HalfStep b,
                     size_t n, const Excluded& excluded);
  void KeepBest(size_t size, size_t wanted);
};

size_t CandidateFinder::Workspace::FindAtLeast(size_t wanted, const CopyState& forward, HalfStep f,
                                               const CopyState& backward, HalfStep b, size_t n,
                                               const Excluded& excluded) {
  for (;;) {
    size_t size = FindAbove(forward.values, f, backward.values, b, threshold, n, found.data(), products.data());
    for (uint32_t h : excluded.span()) {
      const auto at = std::lower_bound(found.begin(), found.begin() + size, h) - found.begin();
      if (static_cast<size_t>(at) == size || found[at] != h) continue;
      std::move(found.begin() + at + 1, found.begin() + size, found.begin() + at);
      std::move(products.begin() + at + 1, products.begin() + size, products.begin() + at);
      --size;
    }
    if (size >= wanted || threshold < 0) return size;
    threshold = threshold > 1e-30f ? threshold * kRetryFactor : -1;  // no product is below 0
  }
}

// Moves the `wanted` largest products to the front; of equal ones, those of the first haplotypes.
void CandidateFinder::Workspace::KeepBest(size_t size, size_t wanted) {
  order.resize(size);
  std::iota(order.begin(), order.end(), 0);
  const auto better = [&](uint32_t a, uint32_t b) {
    return products[a] != products[b] ? products[a] > products[b] : a < b;
  };
  if (size > wanted) std::nth_element(order.begin(), order.begin() + wanted - 1, order.end(), better);
  threshold = kMargin * products[order[wanted - 1]];
  std::sort(order.begin(), order.begin() + wanted);
}

CandidateFinder::CandidateFinder() : workspace_(std::make_unique<Workspace>()) {}
CandidateFinder::~CandidateFinder() = default;
CandidateFinder::CandidateFinder(CandidateFinder&&) noexcept = default;

void CandidateFinder::Find(const ArrayPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                           const Excluded& excluded, CopyCandidates& candidates) {
  Workspace& w = *workspace_;
  const size_t n = panel.num_haplotypes();
  const size_t m = panel.num_typed();
  w.found.resize(n + 64);
  w.products.resize(n + 64);
  w.threshold = 0;
  candidates.Resize(panel.num_intervals());

  w.recursions.Run(panel, model, target, excluded,
                   [&](size_t interval, const CopyState& forward, const CopyState& backward) {
                     const size_t copied = w.recursions.num_copied();
                     const bool inner = interval > 0 && interval < m;
                     const float switching = inner ? model.switch_probability[interval - 1] : 0.0f;
                     const HalfStep f = Halfway(forward, switching, copied);
                     const HalfStep b = Halfway(backward, switching, copied);
                     const size_t wanted = std::min(kMaxCandidates, copied);
                     const size_t size = w.FindAtLeast(wanted, forward, f, backward, b, n, excluded);
                     w.KeepBest(size, wanted);

                     candidates.count[interval] = static_cast<uint16_t>(wanted);
                     const float scale = static_cast<float>(copied);
                     for (size_t k = 0; k < wanted; ++k) {
                       const uint32_t h = w.found[w.order[k]];
                       const size_t slot = interval * kMaxCandidates + k;
                       candidates.haplotype[slot] = h;
                       candidates.forward[slot] = (forward.values[h] * f.keep + f.jump) * scale;
                       candidates.backward[slot] = (backward.values[h] * b.keep + b.jump) * scale;
                     }
                   });
}

}  // namespace haplospin
