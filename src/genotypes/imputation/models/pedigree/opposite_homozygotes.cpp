#include "genotypes/imputation/models/pedigree/opposite_homozygotes.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/pedigree/opposite_homozygotes.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Counts in words of homozygotes of REF and ALT of two samples.
HomozygoteCounts CountHomozygotes(const uint64_t* a_ref, const uint64_t* a_alt, const uint64_t* b_ref,
                                  const uint64_t* b_alt, size_t words) {
  const hn::ScalableTag<uint64_t> d;
  const size_t lanes = hn::Lanes(d);
  auto opposite = hn::Zero(d), both = hn::Zero(d);
  size_t w = 0;
  for (; w + lanes <= words; w += lanes) {
    const auto ar = hn::LoadU(d, a_ref + w), aa = hn::LoadU(d, a_alt + w);
    const auto br = hn::LoadU(d, b_ref + w), ba = hn::LoadU(d, b_alt + w);
    opposite = hn::Add(opposite, hn::PopulationCount(hn::Or(hn::And(ar, ba), hn::And(aa, br))));
    both = hn::Add(both, hn::PopulationCount(hn::And(hn::Or(ar, aa), hn::Or(br, ba))));
  }
  HomozygoteCounts counts{static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d, opposite))),
                          static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d, both)))};
  for (; w < words; ++w) {
    const uint64_t lacking = (a_ref[w] & b_alt[w]) | (a_alt[w] & b_ref[w]);
    const uint64_t homozygous = (a_ref[w] | a_alt[w]) & (b_ref[w] | b_alt[w]);
    counts.opposite += static_cast<uint32_t>(std::popcount(lacking));
    counts.both += static_cast<uint32_t>(std::popcount(homozygous));
  }
  return counts;
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {
namespace {

HWY_EXPORT(CountHomozygotes);

constexpr double kMinExpected = 5;
// Full sibs have a quarter of the opposite homozygotes of others, parents those by errors.
constexpr double kMaxOfExpected = 0.15;
constexpr size_t kWordsOfBlock = 64;
constexpr size_t kSamplesForSharing = 400;
constexpr double kMinSharing = 0.1;
constexpr size_t kSamplesForStretches = 100;
constexpr double kMinOfStretch = 3;  // expected opposite homozygotes of a stretch that counts
constexpr double kMaxAlike = 0.95;

bool AreFew(const HomozygoteCounts& counts, double expected) {
  const double limit = kMaxOfExpected * expected;
  return counts.opposite <= limit + 3 * std::sqrt(limit) + 1;
}

}  // namespace

OppositeHomozygotes::OppositeHomozygotes(const SpacedGenotypes& genotypes) : genotypes_(genotypes) {
  double opposite = 0, both = 0, homozygous = 0;
  for (const SpacedMarker& marker : genotypes.markers()) {
    const double ref = (1 - marker.frequency) * (1 - marker.frequency), alt = marker.frequency * marker.frequency;
    opposite += 2 * ref * alt;
    both += (ref + alt) * (ref + alt);
    homozygous += ref + alt;
  }
  if (both > 0) expected_ = opposite / both;
  if (homozygous > 0) opposite_share_ = opposite / homozygous;
}

HomozygoteCounts OppositeHomozygotes::Count(size_t a, size_t b, size_t first, size_t last) const {
  return HWY_DYNAMIC_DISPATCH(CountHomozygotes)(
      genotypes_.Bits(a, 0).data() + first, genotypes_.Bits(a, 2).data() + first, genotypes_.Bits(b, 0).data() + first,
      genotypes_.Bits(b, 2).data() + first, last - first);
}

std::vector<double> OppositeHomozygotes::Sharing() const {
  const size_t samples = genotypes_.num_samples();
  const size_t step = std::max<size_t>(1, samples / kSamplesForSharing);
  std::vector<double> sharing(samples, 1);
  tbb::parallel_for(size_t{0}, samples, [&](size_t a) {
    std::vector<double> ratios;
    for (size_t b = 0; b < samples; b += step) {
      if (a == b) continue;
      const HomozygoteCounts counts = Count(a, b);
      const double expected = Expected(counts.both);
      if (expected >= kMinExpected) ratios.push_back(counts.opposite / expected);
    }
    if (ratios.empty()) return;
    const auto quarter = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 4);
    std::ranges::nth_element(ratios, quarter);
    sharing[a] = std::clamp(*quarter, kMinSharing, 1.0);
  });
  return sharing;
}

// Returns, of a pair with `ratio` times the expected opposite homozygotes, the stretches that count and those of them
// without any, less those by chance.
OppositeHomozygotes::Stretches OppositeHomozygotes::CountStretches(size_t a, size_t b, double ratio) const {
  Stretches stretches;
  for (size_t w = 0; w < genotypes_.num_words(); ++w) {
    const uint64_t called = genotypes_.Bits(b, 0)[w] | genotypes_.Bits(b, 1)[w] | genotypes_.Bits(b, 2)[w];
    const uint64_t own = (genotypes_.Bits(a, 0)[w] | genotypes_.Bits(a, 2)[w]) & called;
    const double expected = opposite_share_ * std::popcount(own);
    if (expected < kMinOfStretch) continue;
    const double by_chance = std::exp(-expected * ratio);
    stretches.all += 1 - by_chance;
    stretches.alike += (Count(a, b, w, w + 1).opposite == 0 ? 1 : 0) - by_chance;
  }
  return stretches;
}

double OppositeHomozygotes::AlikeStretches() const {
  const size_t samples = genotypes_.num_samples();
  const size_t step = std::max<size_t>(1, samples / kSamplesForStretches);
  Stretches sum;
  for (size_t a = 0; a < samples; a += step) {
    std::vector<std::pair<double, size_t>> others;
    for (size_t b = 0; b < samples; b += step) {
      const HomozygoteCounts counts = Count(a, b);
      if (a != b && counts.both > 0) others.emplace_back(counts.opposite / Expected(counts.both), b);
    }
    std::ranges::sort(others);
    for (size_t i = others.size() / 2; i < others.size(); ++i) {
      const Stretches more = CountStretches(a, others[i].second, others[i].first);
      sum.all += more.all;
      sum.alike += more.alike;
    }
  }
  return sum.all > 0 ? std::clamp(sum.alike / sum.all, 0.0, kMaxAlike) : 0;
}

// Most pairs are seen not to be close by their first markers.
bool OppositeHomozygotes::IsClose(size_t a, size_t b) const {
  HomozygoteCounts counts;
  for (size_t w = 0; w < genotypes_.num_words(); w += kWordsOfBlock) {
    const HomozygoteCounts more = Count(a, b, w, std::min(w + kWordsOfBlock, genotypes_.num_words()));
    counts.opposite += more.opposite;
    counts.both += more.both;
    if (!AreFew(counts, std::max(Expected(counts.both), kMinExpected))) return false;
  }
  return Expected(counts.both) >= kMinExpected;
}

std::vector<std::pair<size_t, size_t>> OppositeHomozygotes::ClosePairs() const {
  std::vector<std::vector<size_t>> close(genotypes_.num_samples());
  tbb::parallel_for(size_t{0}, close.size(), [&](size_t a) {
    for (size_t b = a + 1; b < close.size(); ++b) {
      if (IsClose(a, b)) close[a].push_back(b);
    }
  });
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < close.size(); ++a) {
    for (const size_t b : close[a]) pairs.emplace_back(a, b);
  }
  return pairs;
}

}  // namespace haplospin
#endif
