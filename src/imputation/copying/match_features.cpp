#include "imputation/copying/match_features.h"

#include <algorithm>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/kernels/feature_kernels.h"
#include "imputation/copying/mismatches.h"

namespace haplospin {
namespace {

// For more intervals than this a new search is cheaper than stepping over the mismatches between them.
constexpr int32_t kFarAhead = 48;

}  // namespace

MatchFeatures::MatchFeatures(const TypedPanel& panel, const Ancestry& ancestry)
    : panel_(panel), ancestry_(ancestry), information_(panel.num_typed() + 1), cache_(panel.num_haplotypes()) {}

void MatchFeatures::StartTarget(const TargetHaplotype& target, const CopyCandidates& candidates) {
  target_ = &target;
  candidates_ = &candidates;
  ++target_count_;
  for (size_t j = 0; j < panel_.num_typed(); ++j) {
    const uint8_t allele = target.alleles[j];
    information_[j + 1] = information_[j] + (allele == kMissingAllele ? 0.0f : panel_.information(j, allele));
  }
}

const MatchFeatures::Mismatches& MatchFeatures::Find(uint32_t haplotype, int32_t interval) {
  const int32_t m = static_cast<int32_t>(panel_.num_typed());
  const Disagreement differs{panel_.haplotype_bits(haplotype), target_->bits.data(), target_->observed.data()};
  Mismatches& found = cache_[haplotype];
  if (found.target != target_count_ || interval - found.at > kFarAhead) {
    found.target = target_count_;
    for (size_t u = 0; u < kMismatches; ++u) {
      found.left[u] = PreviousMismatch(differs, u == 0 ? interval - 1 : found.left[u - 1] - 1);
      found.right[u] = NextMismatch(differs, u == 0 ? interval : found.right[u - 1] + 1, m);
    }
  }
  while (found.right[0] < interval) {
    std::copy_backward(found.left, found.left + kMismatches - 1, found.left + kMismatches);
    found.left[0] = found.right[0];
    std::copy(found.right + 1, found.right + kMismatches, found.right);
    found.right[kMismatches - 1] = NextMismatch(differs, found.right[kMismatches - 1] + 1, m);
  }
  found.at = interval;
  return found;
}

void MatchFeatures::Fill(size_t interval, CopyFeatures& features) {
  FeatureInputs inputs;
  inputs.centimorgans = panel_.centimorgans().data();
  inputs.information = information_.data();
  inputs.interval = static_cast<int32_t>(interval);
  inputs.num_typed = static_cast<int32_t>(panel_.num_typed());
  const float* log_shares = ancestry_.LogShares(interval);
  const float* population_log_shares = ancestry_.PopulationLogShares();
  const std::span<const uint32_t> haplotypes = candidates_->haplotypes(interval);
  const size_t count = haplotypes.size();
  for (const uint32_t h : haplotypes) {
    __builtin_prefetch(&cache_[h]);
    __builtin_prefetch(log_shares + ancestry_.person(h));
    __builtin_prefetch(population_log_shares + ancestry_.person(h));
  }
  for (size_t k = 0; k < PaddedCount(count); ++k) {
    const size_t slot = candidates_->first_slot[interval] + (k < count ? k : 0);
    const uint32_t h = candidates_->haplotype[slot];
    const Mismatches& found = Find(h, inputs.interval);
    for (size_t u = 0; u < kMismatches; ++u) {
      inputs.left[u][k] = found.left[u];
      inputs.right[u][k] = found.right[u];
    }
    features.at_left[k] = candidates_->at_left[slot];
    features.at_right[k] = candidates_->at_right[slot];
    inputs.forward[k] = candidates_->forward[slot];
    inputs.backward[k] = candidates_->backward[slot];
    const uint32_t person = ancestry_.person(h);
    inputs.log_share[k] = log_shares[person];
    inputs.population_log_share[k] = population_log_shares[person];
  }
  ComputeFeatures(inputs, PaddedCount(count), features);
}

}  // namespace haplospin
