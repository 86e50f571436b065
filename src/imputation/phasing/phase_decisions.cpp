#include "imputation/phasing/phase_decisions.h"

#include <algorithm>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// In expected switches: a doubt matters no further from its heterozygote than this, as haplotypes then copy others. Of
// two doubts that are closer to each other than the second distance, only the one that is less certain is kept.
constexpr double kReach = 0.5, kSeparate = 0.5;

// visit(j) sees the typed markers at which the alleles of the haplotypes are exchanged.
template <typename Visit>
void ForEachExchanged(std::span<const PhaseDecision> decisions, size_t num_typed, const Visit& visit) {
  bool is_exchanged = false;
  size_t j = 0;
  for (const PhaseDecision& decision : decisions) {
    if (!decision.IsError()) continue;
    for (; j < decision.het; ++j) {
      if (is_exchanged) visit(j);
    }
    is_exchanged = !is_exchanged;
  }
  for (; is_exchanged && j < num_typed; ++j) visit(j);
}

PhaseVersion VersionOf(std::span<const TargetHaplotype> given, std::span<const PhaseDecision> decisions) {
  PhaseVersion version{.haplotypes = Corrected(given, decisions)};
  if (std::ranges::none_of(decisions, &PhaseDecision::IsError)) return version;
  const size_t num_typed = given[0].alleles.size();
  version.swapped.assign(num_typed + 1, false);
  ForEachExchanged(decisions, num_typed, [&](size_t j) { version.swapped[j] = true; });
  version.swapped[num_typed] = version.swapped[num_typed - 1];
  return version;
}

// [intervals] the expected switches from the first marker to the middle of each interval.
std::vector<double> SwitchesUntil(std::span<const float> switch_probability) {
  std::vector<double> switches{0};
  double sum = 0;
  for (const float switching : switch_probability) {
    switches.push_back(sum + switching / 2);
    sum += switching;
  }
  switches.push_back(sum);
  return switches;
}

std::vector<PhaseDecision> Doubts(std::span<const PhaseDecision> decisions, const std::vector<double>& switches) {
  std::vector<PhaseDecision> doubts;
  for (const PhaseDecision& decision : decisions) {
    if (!decision.IsDoubtful()) continue;
    if (doubts.empty() || switches[decision.het] - switches[doubts.back().het] >= kSeparate) {
      doubts.push_back(decision);
    } else if (std::abs(decision.log_odds) < std::abs(doubts.back().log_odds)) {
      doubts.back() = decision;
    }
  }
  return doubts;
}

// [intervals] of the version with the opposite decisions.
std::vector<float> WeightsOfOpposite(std::span<const PhaseDecision> doubts, const std::vector<double>& switches) {
  std::vector<float> weight(switches.size());
  const auto distance = [&](size_t interval, size_t k) {
    return std::abs(switches[interval] - switches[doubts[k].het]);
  };
  for (size_t i = 0, nearest = 0; i < weight.size(); ++i) {
    while (nearest + 1 < doubts.size() && distance(i, nearest + 1) < distance(i, nearest)) ++nearest;
    if (distance(i, nearest) > kReach) continue;
    weight[i] = static_cast<float>(doubts[nearest].ProbabilityOfOpposite());
  }
  return weight;
}

}  // namespace

std::vector<TargetHaplotype> Corrected(std::span<const TargetHaplotype> given,
                                       std::span<const PhaseDecision> decisions) {
  std::vector<uint8_t> one = given[0].alleles, other = given[1].alleles;
  ForEachExchanged(decisions, one.size(), [&](size_t j) { std::swap(one[j], other[j]); });
  std::vector<TargetHaplotype> corrected;
  corrected.emplace_back(std::move(one));
  corrected.emplace_back(std::move(other));
  return corrected;
}

void SetVersions(std::span<const PhaseDecision> decisions, std::span<const float> switch_probability,
                 SampleTargets& sample) {
  HS_ASSERT(sample.versions.size() == 1 && std::ranges::is_sorted(decisions, {}, &PhaseDecision::het));
  std::vector<TargetHaplotype> given = std::move(sample.versions[0].haplotypes);
  sample.versions[0] = VersionOf(given, decisions);

  const std::vector<double> switches = SwitchesUntil(switch_probability);
  const std::vector<PhaseDecision> doubts = Doubts(decisions, switches);
  if (!doubts.empty()) {
    std::vector<PhaseDecision> opposite(decisions.begin(), decisions.end());
    for (const PhaseDecision& doubt : doubts) {
      std::ranges::lower_bound(opposite, doubt.het, {}, &PhaseDecision::het)->log_odds *= -1;
    }
    PhaseVersion version = VersionOf(given, opposite);
    version.weight = WeightsOfOpposite(doubts, switches);
    for (const float weight : version.weight) sample.versions[0].weight.push_back(1 - weight);
    sample.versions.push_back(std::move(version));
  }
  if (std::ranges::any_of(decisions, &PhaseDecision::IsError)) sample.given = std::move(given);
}

}  // namespace haplospin
