#include "genotypes/imputation/models/phase_errors/phase_errors.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/forward_backward.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

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

PhaseVersion DecidedVersion(std::span<const TargetHaplotype> given, std::span<const PhaseDecision> decisions) {
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
std::vector<float> OppositeWeights(std::span<const PhaseDecision> doubts, const std::vector<double>& switches) {
  std::vector<float> weight(switches.size());
  const auto distance = [&](size_t interval, size_t k) {
    return std::abs(switches[interval] - switches[doubts[k].het]);
  };
  for (size_t i = 0, nearest = 0; i < weight.size(); ++i) {
    while (nearest + 1 < doubts.size() && distance(i, nearest + 1) < distance(i, nearest)) ++nearest;
    if (distance(i, nearest) > kReach) continue;
    weight[i] = static_cast<float>(doubts[nearest].OppositeProbability());
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
double NoErrorLogOdds(double error_rate) { return std::log((1 - error_rate) / error_rate); }

bool HasErrors(const PhaseEvidence& evidence, double min_log_ratio) {
  return !evidence.ratios.empty() && evidence.ratios[0].log > min_log_ratio;
}

// The workspace of one thread.
struct ExaminerWorkspace {
  CopyingStates states;  // of both haplotypes of a sample
  ForwardBackward first, second;
};

// Computes the ratio at heterozygotes only: between them, an exchange does not change any allele.
PhaseEvidence Examine(const ExaminedPhase& phase, ExaminerWorkspace& workspace) {
  const PhaseSearch& search = *phase.search;
  auto& [states, first, second] = workspace;
  search.selection.Get(search.selected[phase.sample], StateTargets::kBothWithFew, states);
  std::vector<PhaseRatio> ratios;
  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward,
                         const CopyState& other_forward, const CopyState& other_backward) {
    if (interval == 0 || interval == search.panel.num_typed() || !phase.IsHeterozygous(interval)) return;
    const double switching = search.model.switch_probability[interval - 1];
    const double given =
        Joined(states, forward, backward, switching) * Joined(states, other_forward, other_backward, switching);
    const double exchanged =
        Joined(states, forward, other_backward, switching) * Joined(states, other_forward, backward, switching);
    ratios.push_back({interval, std::log(exchanged / given)});
  };
  ForwardBackward::RunBoth(search.panel, search.model, phase.haplotypes[0], phase.haplotypes[1], states, first, second,
                           visit);
  return SummarizeEvidence(std::move(ratios));
}

// A sample with errors or doubts.
struct DoubtedSample {
  SampleTargets& sample;
  ExaminedPhase given;
  double min_log_ratio;                         // of errors in its batch
  PhaseEvidence evidence;                       // in the phase that was examined last
  std::vector<PhaseDecision> decisions = {};    // ascending
  std::vector<TargetHaplotype> corrected = {};  // the phase without the errors that were found

  void Correct() {
    for (const PhaseRatio& ratio : evidence.ratios) {
      if (ratio.log > min_log_ratio) Toggle({ratio.het, ratio.log - min_log_ratio}, decisions);
    }
    corrected = Corrected(given.haplotypes, decisions);
  }

  void AddDoubts() {
    for (const PhaseRatio& ratio : evidence.ratios) {
      const PhaseDecision doubt{ratio.het, ratio.log - min_log_ratio};
      const bool is_decided = std::ranges::binary_search(decisions, doubt.het, {}, &PhaseDecision::het);
      if (doubt.IsDoubtful() && !is_decided) Toggle(doubt, decisions);
    }
  }
};

// Examines samples again after each round of corrections, because an error may hide another one nearby. What the last
// round leaves is not known, so there are no doubts about it.
void Decide(const PhaseExaminer& examine, std::vector<DoubtedSample>& samples) {
  for (int round = 1;; ++round) {
    std::vector<DoubtedSample*> with_errors;
    std::vector<ExaminedPhase> phases;
    for (DoubtedSample& sample : samples) {
      if (!HasErrors(sample.evidence, sample.min_log_ratio)) continue;
      sample.Correct();
      with_errors.push_back(&sample);
      phases.push_back({sample.given.search, sample.given.sample, sample.corrected});
    }
    if (phases.empty()) break;
    std::vector<PhaseEvidence> evidence(phases.size());
    if (round < kMaxRounds) evidence = examine(phases);
    for (size_t k = 0; k < phases.size(); ++k) with_errors[k]->evidence = std::move(evidence[k]);
  }
  for (DoubtedSample& sample : samples) sample.AddDoubts();
}

}  // namespace

bool ExaminedPhase::IsHeterozygous(size_t j) const {
  const uint8_t one = haplotypes[0].alleles[j], other = haplotypes[1].alleles[j];
  return one != other && one != kMissingAllele && other != kMissingAllele;
}

PhaseEvidence SummarizeEvidence(std::vector<PhaseRatio> ratios) {
  const size_t num_hets = ratios.size();
  std::erase_if(ratios, [](const PhaseRatio& ratio) { return !(ratio.log > kMinLogRatio); });
  return {num_hets, Largest(std::move(ratios))};
}

void SetVersions(std::span<const PhaseDecision> decisions, std::span<const float> switch_probability,
                 SampleTargets& sample) {
  HS_ASSERT(sample.versions.size() == 1 && std::ranges::is_sorted(decisions, {}, &PhaseDecision::het));
  std::vector<TargetHaplotype> given = std::move(sample.versions[0].haplotypes);
  sample.versions[0] = DecidedVersion(given, decisions);

  const std::vector<double> switches = SwitchesUntil(switch_probability);
  const std::vector<PhaseDecision> doubts = Doubts(decisions, switches);
  if (!doubts.empty()) {
    std::vector<PhaseDecision> opposite(decisions.begin(), decisions.end());
    for (const PhaseDecision& doubt : doubts) {
      std::ranges::lower_bound(opposite, doubt.het, {}, &PhaseDecision::het)->log_odds *= -1;
    }
    PhaseVersion version = DecidedVersion(given, opposite);
    version.weight = OppositeWeights(doubts, switches);
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
      for (const PhaseRatio& ratio : sample.ratios) errors += 1 / (1 + std::exp(NoErrorLogOdds(rate) - ratio.log));
    }
    rate = errors / hets;
  }
  return rate;
}

std::vector<PhaseEvidence> ExaminePhases(std::span<const ExaminedPhase> phases) {
  tbb::enumerable_thread_specific<ExaminerWorkspace> workspaces;
  std::vector<PhaseEvidence> evidence(phases.size());
  tbb::parallel_for(size_t{0}, phases.size(), [&](size_t k) { evidence[k] = Examine(phases[k], workspaces.local()); });
  return evidence;
}

void CorrectPhaseErrors(std::span<const SearchedBatch> batches, double min_log_odds, const PhaseExaminer& examine) {
  std::vector<ExaminedPhase> given;
  std::vector<size_t> ends;  // of the batches in `given`
  for (const SearchedBatch& batch : batches) {
    for (size_t s = 0; s < batch.samples.size(); ++s) {
      if (batch.samples[s].HasGivenPhase()) given.push_back({&batch.search, s, batch.samples[s].most_probable()});
    }
    ends.push_back(given.size());
  }
  if (given.empty()) return;
  std::vector<PhaseEvidence> evidence = examine(given);
  std::vector<DoubtedSample> doubted;
  for (size_t b = 0, k = 0; b < batches.size(); ++b) {
    const double rate = EstimatePhaseErrorRate(std::span(evidence).subspan(k, ends[b] - k));
    const double min_log_ratio = NoErrorLogOdds(rate) + min_log_odds;
    for (; k < ends[b]; ++k) {
      if (!HasErrors(evidence[k], min_log_ratio - PhaseDecision::kDoubt)) continue;
      doubted.push_back({batches[b].samples[given[k].sample], given[k], min_log_ratio, std::move(evidence[k])});
    }
  }
  Decide(examine, doubted);
  tbb::parallel_for(size_t{0}, doubted.size(), [&](size_t k) {
    const DoubtedSample& sample = doubted[k];
    SetVersions(sample.decisions, sample.given.search->model.switch_probability, sample.sample);
  });
}

PhaseErrorCounts CountPhaseErrors(std::span<const SampleTargets> samples, size_t begin, size_t end) {
  PhaseErrorCounts counts;
  for (const SampleTargets& sample : samples) {
    if (!sample.HasGivenPhase()) continue;
    const ExaminedPhase phase{nullptr, 0, sample.most_probable()};
    const std::vector<bool>& swapped = sample.versions[0].swapped;
    for (size_t j = begin; j < end; ++j) {
      counts.hets += phase.IsHeterozygous(j) ? 1 : 0;
      counts.errors += !swapped.empty() && j > 0 && swapped[j] != swapped[j - 1] ? 1 : 0;
    }
  }
  return counts;
}

}  // namespace haplospin
