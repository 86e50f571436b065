#include "genotypes/genomics/hla/hla_calls.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace haplospin {
namespace {

constexpr double kMinProbability = 1e-5;  // of an allele on a haplotype, below which it is in no pair
constexpr size_t kAlwaysKept = 2;         // most probable alleles of a haplotype, which always are

// [alleles]
using Probabilities = std::vector<double>;

// All alleles are as likely on a haplotype that has none: it may have one that the panel lacks at this resolution.
Probabilities Scaled(std::span<const float> probabilities) {
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  if (sum <= 0) return Probabilities(probabilities.size(), 1.0 / static_cast<double>(probabilities.size()));
  Probabilities scaled;
  for (const float p : probabilities) scaled.push_back(p / sum);
  return scaled;
}

// Returns the alleles of a haplotype that may be in one of the best pairs.
std::vector<uint32_t> ProbableAlleles(const Probabilities& p) {
  std::vector<uint32_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return p[a] > p[b]; });
  size_t count = 0;
  while (count < order.size() && (count < kAlwaysKept || p[order[count]] >= kMinProbability)) ++count;
  order.resize(count);
  return order;
}

// Returns all pairs that are probable enough, the most probable first.
std::vector<HlaPair> ProbablePairs(const Probabilities& first, const Probabilities& second) {
  std::vector<HlaPair> pairs;
  const std::vector<uint32_t> others = ProbableAlleles(second);
  for (const uint32_t a : ProbableAlleles(first)) {
    for (const uint32_t b : others) {
      const std::array<uint32_t, 2> alleles{std::min(a, b), std::max(a, b)};
      const auto known = std::ranges::find(pairs, alleles, &HlaPair::alleles);
      if (known != pairs.end()) continue;
      const double exchanged = a == b ? 0 : first[b] * second[a];
      pairs.push_back({alleles, first[a] * second[b] + exchanged});
    }
  }
  std::ranges::stable_sort(pairs, [](const HlaPair& x, const HlaPair& y) { return x.probability > y.probability; });
  return pairs;
}

std::vector<HlaPair> ProbableAlone(const Probabilities& p) {
  std::vector<HlaPair> pairs;
  for (const uint32_t a : ProbableAlleles(p)) pairs.push_back({{a, a}, p[a]});
  return pairs;
}

// Returns the probability of the alleles that are `allele` in the first `fields` fields.
double SumOfFields(std::span<const HlaAllele> alleles, const Probabilities& p, uint32_t allele, size_t fields) {
  const HlaAllele beginning = alleles[allele].Truncated(fields);
  double sum = 0;
  for (size_t a = 0; a < alleles.size(); ++a) {
    if (beginning.IsStartOf(alleles[a])) sum += p[a];
  }
  return sum;
}

// Returns the probability that the two alleles are those of the pair in the first `fields` fields.
double ProbabilityOfFields(std::span<const HlaAllele> alleles, std::span<const Probabilities> p, const HlaPair& pair,
                           size_t fields) {
  const auto [a, b] = pair.alleles;
  const double straight = SumOfFields(alleles, p.front(), a, fields) * SumOfFields(alleles, p.back(), b, fields);
  if (p.size() == 1) return SumOfFields(alleles, p.front(), a, fields);
  if (alleles[a].Truncated(fields).Name() == alleles[b].Truncated(fields).Name()) return straight;
  return straight + SumOfFields(alleles, p.front(), b, fields) * SumOfFields(alleles, p.back(), a, fields);
}

}  // namespace

HlaCall CallHlaType(std::span<const HlaAllele> alleles, std::span<const std::span<const float>> probabilities) {
  std::vector<Probabilities> p;
  for (const std::span<const float> haplotype : probabilities) p.push_back(Scaled(haplotype));
  const std::vector<HlaPair> pairs = p.size() == 1 ? ProbableAlone(p[0]) : ProbablePairs(p[0], p[1]);
  HlaCall call{.best = pairs[0], .next = {}};
  if (pairs.size() > 1) call.next = pairs[1];
  const size_t most =
      std::max(alleles[call.best.alleles[0]].fields.size(), alleles[call.best.alleles[1]].fields.size());
  while (call.certain_fields < most &&
         ProbabilityOfFields(alleles, p, call.best, call.certain_fields + 1) >= kCertainType) {
    ++call.certain_fields;
  }
  return call;
}

}  // namespace haplospin
