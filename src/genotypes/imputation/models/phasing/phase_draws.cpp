#include "genotypes/imputation/models/phasing/phase_draws.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace haplospin {
namespace {

// Weight of two heterozygotes with another one between them (benchmarks/phasing/LOG.md).
constexpr double kSecondWeight = 0.25;

// Returns the phase with the largest expected number of heterozygotes in the right phase relative to the one before
// them plus, with kSecondWeight, relative to the one before that: a heterozygote of uncertain phase must not separate
// its neighbors, whose phase relative to each other may be certain. [hets] as CisPhase().
std::vector<bool> MostProbableCis(const PhasePosterior& draws) {
  const std::vector<float>& probability = draws.cis_probability;
  std::vector<bool> cis(probability.size());
  std::vector<std::array<bool, 2>> before(cis.size());  // [hets][cis] the best choice at the heterozygote before
  std::array<double, 2> score{};                        // [cis] of the best choices so far
  for (size_t h = 1; h < cis.size(); ++h) {
    const auto alike = std::ranges::count_if(draws.cis, [&](const auto& draw) { return draw[h] == draw[h - 1]; });
    const double weight = h > 1 ? kSecondWeight : 0;  // the first heterozygote has no choice
    const double same = weight * static_cast<double>(alike) / static_cast<double>(draws.cis.size());
    const double other = weight - same;
    const std::array<double, 2> trans{score[0] + same, score[1] + other}, together{score[0] + other, score[1] + same};
    before[h] = {trans[1] > trans[0], together[1] > together[0]};
    score = {std::ranges::max(trans) + 1 - probability[h], std::ranges::max(together) + probability[h]};
  }
  bool choice = score[1] > score[0];
  for (size_t h = cis.size(); h-- > 1;) {
    cis[h] = choice;
    choice = before[h][choice ? 1 : 0];
  }
  return cis;
}

// Makes the phase agree with the given phase within sets: where two heterozygotes of a set contradict it, the least
// certain phase between them is turned.
void KeepGivenPhase(const SampleGenotypes& sample, std::span<const float> cis_probability, std::vector<bool>& cis) {
  SampleGenotypes phased = sample;
  SetCis(cis, phased);
  size_t given = SIZE_MAX;  // the last heterozygote of the same set with a given phase
  for (size_t h = 0; h < cis.size(); ++h) {
    if (h > 0 && !sample.ContinuesSet(h - 1)) given = SIZE_MAX;
    if (!sample.IsGiven(h)) continue;
    if (given != SIZE_MAX && phased.IsExchanged(h) != phased.IsExchanged(given)) {
      size_t least_certain = given + 1;
      for (size_t k = given + 2; k <= h; ++k) {
        if (std::abs(cis_probability[k] - 0.5f) < std::abs(cis_probability[least_certain] - 0.5f)) least_certain = k;
      }
      cis[least_certain] = !cis[least_certain];
    }
    given = h;
  }
}

}  // namespace

void PhaseDraws::Add(const SampleGenotypes& drawn, std::span<const float> cis_probability) {
  cis_sum.resize(drawn.hets.size());
  for (size_t h = 0; h < cis_sum.size(); ++h) cis_sum[h] += cis_probability[h];
  cis.push_back(CisPhase(drawn));
}

PhasePosterior SetMostProbablePhase(PhaseDraws draws, SampleGenotypes& sample) {
  PhasePosterior posterior{.cis_probability = std::move(draws.cis_sum), .cis = std::move(draws.cis), .alt = {}};
  for (float& p : posterior.cis_probability) p /= static_cast<float>(posterior.cis.size());
  std::vector<bool> cis = MostProbableCis(posterior);
  if (!sample.given.empty()) {
    KeepGivenPhase(sample, posterior.cis_probability, cis);
    for (std::vector<bool>& draw : posterior.cis) KeepGivenPhase(sample, posterior.cis_probability, draw);
  }
  SetCis(cis, sample);
  posterior.alt = draws.missing.Probabilities(sample);
  return posterior;
}

}  // namespace haplospin
