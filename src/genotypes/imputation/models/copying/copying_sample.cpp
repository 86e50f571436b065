#include "genotypes/imputation/models/copying/copying_sample.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

double Sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Returns the probability that an allele at typed marker j is a mismatch, given all alleles of its haplotype.
double ExpectMismatch(const TypedPanel& panel, const CopyingModel& model, uint8_t allele, size_t j,
                      const JointSums& sums) {
  const float mismatch = model.mismatch_probability;
  const float same = (allele == 1 ? sums.states.one : sums.states.zero) / (1 - mismatch);
  const float other = (allele == 1 ? sums.states.zero : sums.states.one) / mismatch;
  const float rest_allele = AlleleProbabilityOfRest(panel, model, allele, j);
  const float rest = sums.rest / rest_allele;
  const float rest_mismatch = (1 - panel.frequency(j, allele)) * mismatch / rest_allele;
  return double{other + rest * rest_mismatch} / double{same + other + rest};
}

}  // namespace

CopyingSample::CopyingSample(const TypedPanel& panel, std::vector<const TargetHaplotype*> haplotypes,
                             const StateSelection& selection, std::vector<size_t> selected)
    : panel_(panel),
      haplotypes_(std::move(haplotypes)),
      selection_(selection),
      selected_(std::move(selected)),
      gaps_(panel.num_typed() - 1),
      switches_(haplotypes_.size() * gaps_),
      unmatched_(haplotypes_.size()),
      mismatches_(haplotypes_.size()),
      left_out_(haplotypes_.size()) {
  for (const TargetHaplotype* haplotype : haplotypes_) {
    num_alleles_ += panel.num_typed() - static_cast<size_t>(std::ranges::count(haplotype->alleles, kMissingAllele));
  }
}

void CopyingSample::Run(const CopyingModel& model) {
  tbb::parallel_for(tbb::blocked_range<size_t>(0, haplotypes_.size(), 1), [&](const tbb::blocked_range<size_t>& range) {
    for (size_t k = range.begin(); k < range.end(); ++k) RunHaplotype(model, k);
  });
}

std::vector<double> CopyingSample::Switches() const {
  std::vector<double> sums(gaps_);
  for (size_t k = 0; k < haplotypes_.size(); ++k) {
    for (size_t j = 0; j < gaps_; ++j) sums[j] += switches_[k * gaps_ + j];
  }
  return sums;
}

double CopyingSample::UnmatchedShare() const { return Sum(unmatched_) / static_cast<double>(switches_.size()); }

double CopyingSample::MismatchRate() const { return Sum(mismatches_) / static_cast<double>(num_alleles_); }

double CopyingSample::LeftOutError() const { return Sum(left_out_) / static_cast<double>(num_alleles_); }

void CopyingSample::RunHaplotype(const CopyingModel& model, size_t k) {
  auto& [recursions, states] = workspaces_.local();
  selection_.Get(selected_[k], StateTargets::kOneWithFew, states);
  unmatched_[k] = mismatches_[k] = left_out_[k] = 0;
  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
    if (interval == 0 || interval == panel_.num_typed()) return;
    const PairSums sums = SumPairs(forward.values, backward.values, states.size());
    const double rest = JointOfRest(states, forward, backward);
    const double joint = (sums.joint + rest) / forward.sum;
    unmatched_[k] += rest / (sums.joint + rest);
    const double mean = static_cast<double>(sums.backward + backward.rest) / static_cast<double>(states.num_copied());
    const double t = model.switch_probability[interval - 1];
    switches_[k * gaps_ + interval - 1] = static_cast<float>(t * mean / ((1 - t) * joint + t * mean));
  };
  const auto visit_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
    VisitTyped(model, k, j, states, forward, backward);
  };
  recursions.Run(panel_, model, *haplotypes_[k], states, visit, visit_typed);
}

void CopyingSample::VisitTyped(const CopyingModel& model, size_t k, size_t j, const CopyingStates& states,
                               const CopyState& forward, const CopyState& backward) {
  const uint8_t allele = haplotypes_[k]->alleles[j];
  if (allele == kMissingAllele) return;
  const JointSums sums = SumJointly(states, j, forward, backward);
  mismatches_[k] += ExpectMismatch(panel_, model, allele, j, sums);
  const double error = allele - AltProbabilityWithoutOwnAllele(panel_, model, allele, j, sums);
  left_out_[k] += error * error;
}

}  // namespace haplospin
