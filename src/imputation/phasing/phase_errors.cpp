#include "imputation/phasing/phase_errors.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/forward_backward.h"
#include "imputation/phasing/phase_decisions.h"

namespace haplospin {
namespace {

constexpr double kMinLogRatio = 2;  // of evidence

// Around an error the ratio is large at several heterozygotes: only one of so many typed markers is corrected at a
// time.
constexpr size_t kApart = 20;
constexpr int kMaxRounds = 4;

// Before any sample is seen, the error rate is taken for this one, with the weight of so many heterozygotes.
constexpr double kPriorRate = 1e-3, kPriorHets = 1000;
constexpr int kRateRounds = 20;

// The likelihood of the alleles on both sides of an interval, relative to that of each side alone.
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

// An error that is corrected twice is none.
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

// Before the haplotypes are compared.
double LogOddsOfNoError(double error_rate) { return std::log((1 - error_rate) / error_rate); }

bool HasErrors(const PhaseEvidence& evidence, double min_log_ratio) {
  return !evidence.ratios.empty() && evidence.ratios[0].log > min_log_ratio;
}

bool HasErrorsOrDoubts(const PhaseEvidence& evidence, double min_log_ratio) {
  return HasErrors(evidence, min_log_ratio - PhaseDecision::kDoubt);
}

// Workspace of one thread.
class SampleExaminer {
 public:
  SampleExaminer(const TypedPanel& panel, const CopyingModel& model) : panel_(panel), model_(model) {}

  void SetStates(const StateSelection& selection, size_t selected) { selection.GetFewForBoth(selected, states_); }

  PhaseEvidence Examine(std::span<const TargetHaplotype> haplotypes);

  // Errors and doubts, ascending.
  std::vector<PhaseDecision> Decide(std::span<const TargetHaplotype> haplotypes, PhaseEvidence evidence,
                                    double min_log_ratio);

 private:
  const TypedPanel& panel_;
  const CopyingModel& model_;
  CopyingStates states_;  // of both haplotypes of a sample
  ForwardBackward first_, second_;
};

// Between two heterozygotes no alleles are exchanged, so the ratio need not be computed there.
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

// Where errors are close together, one may hide another: the haplotypes are examined again as they are corrected.
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

double EstimatePhaseErrorRate(std::span<const PhaseEvidence> samples) {
  double hets = kPriorHets;
  for (const PhaseEvidence& sample : samples) hets += static_cast<double>(sample.num_hets);
  double rate = kPriorRate;
  for (int round = 0; round < kRateRounds; ++round) {  // of expectation and maximization
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
