#include "imputation/phasing/phase_errors.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/forward_backward.h"

namespace haplospin {
namespace {

// Distances in expected switches. A doubt has weight up to kReach from its heterozygote, because beyond it haplotypes
// copy others. Of two doubts within kSeparate of each other, only the less certain one is kept.
constexpr double kReach = 0.5, kSeparate = 0.5;

// Calls visit(j) for the typed markers at which the alleles of the haplotypes are exchanged.
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

// Returns the haplotypes of a sample with the errors corrected.
std::vector<TargetHaplotype> Corrected(std::span<const TargetHaplotype> given,
                                       std::span<const PhaseDecision> decisions) {
  std::vector<uint8_t> one = given[0].alleles, other = given[1].alleles;
  ForEachExchanged(decisions, one.size(), [&](size_t j) { std::swap(one[j], other[j]); });
  std::vector<TargetHaplotype> corrected;
  corrected.emplace_back(std::move(one));
  corrected.emplace_back(std::move(other));
  return corrected;
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

// Returns the expected switches from the first marker to the middle of each interval: [intervals].
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

// Returns the weights of the version with the opposite decisions: [intervals].
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

constexpr double kMinLogRatio = 2;  // smallest log ratio that counts as evidence

constexpr size_t kApart = 20;  // typed markers between errors of one round: around an error, many ratios are large
constexpr int kMaxRounds = 4;  // rounds of corrections of a sample

// The prior of the error rate, with the weight of kPriorHets heterozygotes.
constexpr double kPriorRate = 1e-3, kPriorHets = 1000;
constexpr int kRateRounds = 20;

// Returns the likelihood of the alleles on both sides of an interval, divided by the likelihoods of each side alone.
double Joined(const CopyingStates& states, const CopyState& forward, const CopyState& backward, double switching) {
  const PairSums sums = SumPairs(forward.values, backward.values, states.size());
  const double joint = (sums.joint + JointOfRest(states, forward, backward)) / forward.sum;
  const double mean = static_cast<double>(sums.backward + backward.rest) / static_cast<double>(states.num_copied());
  return (1 - switching) * joint + switching * mean;
}

bool IsHeterozygous(std::span<const TargetHaplotype> haplotypes, size_t j) {
  const uint8_t one = haplotypes[0].alleles[j], other = haplotypes[1].alleles[j];
  return one != other && one != kMissingAllele && other != kMissingAllele;
}

// Adds an error; one that is corrected twice is removed instead.
void Toggle(const PhaseDecision& decision, std::vector<PhaseDecision>& decisions) {
  const auto at = std::ranges::lower_bound(decisions, decision.het, {}, &PhaseDecision::het);
  if (at != decisions.end() && at->het == decision.het) {
    decisions.erase(at);
  } else {
    decisions.insert(at, decision);
  }
}

std::vector<PhaseRatio> Largest(std::vector<PhaseRatio> ratios) {
  std::ranges::sort(
      ratios, [](const PhaseRatio& a, const PhaseRatio& b) { return a.log != b.log ? a.log > b.log : a.het < b.het; });
  std::vector<PhaseRatio> largest;
  for (const PhaseRatio& ratio : ratios) {
    const auto is_close = [&](const PhaseRatio& other) {
      return std::max(other.het, ratio.het) - std::min(other.het, ratio.het) < kApart;
    };
    if (std::ranges::none_of(largest, is_close)) largest.push_back(ratio);
  }
  return largest;
}

// Returns the prior log odds.
double LogOddsOfNoError(double error_rate) { return std::log((1 - error_rate) / error_rate); }

bool HasErrors(const PhaseEvidence& evidence, double min_log_ratio) {
  return !evidence.ratios.empty() && evidence.ratios[0].log > min_log_ratio;
}

bool HasErrorsOrDoubts(const PhaseEvidence& evidence, double min_log_ratio) {
  return HasErrors(evidence, min_log_ratio - PhaseDecision::kDoubt);
}

// Finds the errors of one sample after the other, on one thread.
class SampleExaminer {
 public:
  SampleExaminer(const TypedPanel& panel, const CopyingModel& model) : panel_(panel), model_(model) {}

  void SetStates(const StateSelection& selection, size_t selected) { selection.GetFewForBoth(selected, states_); }

  PhaseEvidence Examine(std::span<const TargetHaplotype> haplotypes);

  // Returns errors and doubts, ascending.
  std::vector<PhaseDecision> Decide(std::span<const TargetHaplotype> haplotypes, PhaseEvidence evidence,
                                    double min_log_ratio);

 private:
  const TypedPanel& panel_;
  const CopyingModel& model_;
  CopyingStates states_;  // states of both haplotypes of a sample
  ForwardBackward first_, second_;
};

// Computes the ratio at heterozygotes only: between them, an exchange does not change any allele.
PhaseEvidence SampleExaminer::Examine(std::span<const TargetHaplotype> haplotypes) {
  PhaseEvidence evidence;
  std::vector<PhaseRatio> ratios;
  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward,
                         const CopyState& other_forward, const CopyState& other_backward) {
    if (interval == 0 || interval == panel_.num_typed() || !IsHeterozygous(haplotypes, interval)) return;
    const double switching = model_.switch_probability[interval - 1];
    const double given =
        Joined(states_, forward, backward, switching) * Joined(states_, other_forward, other_backward, switching);
    const double exchanged =
        Joined(states_, forward, other_backward, switching) * Joined(states_, other_forward, backward, switching);
    const double log = std::log(exchanged / given);
    ++evidence.num_hets;
    if (log > kMinLogRatio) ratios.push_back({interval, log});
  };
  ForwardBackward::RunBoth(panel_, model_, haplotypes[0], haplotypes[1], states_, first_, second_, visit);
  evidence.ratios = Largest(std::move(ratios));
  return evidence;
}

// Examines the haplotypes again after each round of corrections, because an error may hide another one nearby.
std::vector<PhaseDecision> SampleExaminer::Decide(std::span<const TargetHaplotype> haplotypes, PhaseEvidence evidence,
                                                  double min_log_ratio) {
  std::vector<PhaseDecision> decisions;
  for (int round = 1; HasErrors(evidence, min_log_ratio); ++round) {
    for (const PhaseRatio& ratio : evidence.ratios) {
      if (ratio.log > min_log_ratio) Toggle({ratio.het, ratio.log - min_log_ratio}, decisions);
    }
    if (round == kMaxRounds) return decisions;
    evidence = Examine(Corrected(haplotypes, decisions));
  }
  for (const PhaseRatio& ratio : evidence.ratios) {
    const PhaseDecision doubt{ratio.het, ratio.log - min_log_ratio};
    const bool is_decided = std::ranges::binary_search(decisions, doubt.het, {}, &PhaseDecision::het);
    if (doubt.IsDoubtful() && !is_decided) Toggle(doubt, decisions);
  }
  return decisions;
}

}  // namespace

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

double EstimatePhaseErrorRate(std::span<const PhaseEvidence> samples) {
  double hets = kPriorHets;
  for (const PhaseEvidence& sample : samples) hets += static_cast<double>(sample.num_hets);
  double rate = kPriorRate;
  for (int round = 0; round < kRateRounds; ++round) {
    double errors = kPriorHets * kPriorRate;
    for (const PhaseEvidence& sample : samples) {
      for (const PhaseRatio& ratio : sample.ratios) errors += 1 / (1 + std::exp(LogOddsOfNoError(rate) - ratio.log));
    }
    rate = errors / hets;
  }
  return rate;
}

void CorrectPhaseErrors(const TypedPanel& panel, const CopyingModel& model, const StateSelection& selection,
                        std::span<const size_t> selected, double min_log_odds, std::vector<SampleTargets>& samples) {
  tbb::enumerable_thread_specific<SampleExaminer> examiners([&] { return SampleExaminer(panel, model); });
  const auto examiner_of = [&](size_t s) -> SampleExaminer& {
    SampleExaminer& examiner = examiners.local();
    examiner.SetStates(selection, selected[s]);
    return examiner;
  };
  std::vector<PhaseEvidence> evidence(samples.size());
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
    if (!samples[s].HasGivenPhase()) return;
    evidence[s] = examiner_of(s).Examine(samples[s].most_probable());
  });
  const double min_log_ratio = LogOddsOfNoError(EstimatePhaseErrorRate(evidence)) + min_log_odds;
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
    if (!HasErrorsOrDoubts(evidence[s], min_log_ratio)) return;
    SetVersions(examiner_of(s).Decide(samples[s].most_probable(), std::move(evidence[s]), min_log_ratio),
                model.switch_probability, samples[s]);
  });
}

PhaseErrorCounts CountPhaseErrors(std::span<const SampleTargets> samples, size_t begin, size_t end) {
  PhaseErrorCounts counts;
  for (const SampleTargets& sample : samples) {
    if (!sample.HasGivenPhase()) continue;
    const std::vector<bool>& swapped = sample.versions[0].swapped;
    for (size_t j = begin; j < end; ++j) {
      counts.hets += IsHeterozygous(sample.most_probable(), j) ? 1 : 0;
      counts.errors += !swapped.empty() && j > 0 && swapped[j] != swapped[j - 1] ? 1 : 0;
    }
  }
  return counts;
}

}  // namespace haplospin
