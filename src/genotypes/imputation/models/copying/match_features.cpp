#include "genotypes/imputation/models/copying/match_features.h"

#include <algorithm>

#include "genotypes/imputation/models/copying/haplotype_rows.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A new search is cheaper than stepping over the mismatches between two intervals further apart than this.
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

inline const MatchFeatures::Mismatches& MatchFeatures::Find(uint32_t haplotype, int32_t interval) {
  Mismatches& found = cache_[haplotype];
  if (found.target != target_count_ || found.right[0] < interval) Search(haplotype, interval, found);
  found.at = interval;
  return found;
}

void MatchFeatures::Search(uint32_t haplotype, int32_t interval, Mismatches& found) const {
  const int32_t m = static_cast<int32_t>(panel_.num_typed());
  const Disagreement differs{panel_.haplotype_bits(haplotype), target_->bits.data(), target_->observed.data()};
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
}

// Sets column k of the inputs. `middle` is that of the interval in cM.
inline void MatchFeatures::AddMismatches(const Mismatches& found, size_t interval, float middle, size_t k,
                                         FeatureInputs& inputs) const {
  const float* centimorgans = panel_.centimorgans().data();  // entry j + 1 is typed marker j
  const float* information = information_.data();
  const int32_t m = static_cast<int32_t>(panel_.num_typed());
  float from = information[interval], to = from;
  for (size_t u = 0; u < kMismatches; ++u) {
    const int32_t left = found.left[u], right = found.right[u];
    inputs.left.centimorgans[u][k] = middle - centimorgans[left + 1];
    inputs.left.information[u][k] = to - information[left + 1];
    inputs.right.centimorgans[u][k] = centimorgans[right + 1] - middle;
    inputs.right.information[u][k] = information[right] - from;
    to = information[std::max(left, 0)];
    from = information[std::min(right + 1, m)];
  }
}

void MatchFeatures::Fill(size_t interval, CopyFeatures& features) {
  FeatureInputs inputs;
  const float middle = panel_.middle(interval);
  const float* log_shares = ancestry_.LogShares(interval);
  const float* population_log_shares = ancestry_.PopulationLogShares();
  const std::span<const uint32_t> haplotypes = candidates_->haplotypes(interval);
  const size_t count = haplotypes.size(), padded = PaddedCount(count);
  for (const uint32_t h : haplotypes) {
    __builtin_prefetch(&cache_[h]);
    __builtin_prefetch(log_shares + ancestry_.person(h));
    __builtin_prefetch(population_log_shares + ancestry_.person(h));
  }
  for (size_t k = 0; k < count; ++k) {
    AddMismatches(Find(haplotypes[k], static_cast<int32_t>(interval)), interval, middle, k, inputs);
    const uint32_t person = ancestry_.person(haplotypes[k]);
    inputs.log_share[k] = log_shares[person];
    inputs.population_log_share[k] = population_log_shares[person];
  }
  const auto pad = [&](float* row) { std::fill(row + count, row + padded, row[0]); };
  for (MismatchRows* side : {&inputs.left, &inputs.right}) {
    for (size_t u = 0; u < kMismatches; ++u) {
      pad(side->centimorgans[u]);
      pad(side->information[u]);
    }
  }
  pad(inputs.log_share);
  pad(inputs.population_log_share);
  const auto copy = [&](const std::vector<float>& slots, float* row) {
    std::copy_n(slots.data() + candidates_->first_slot[interval], count, row);
    pad(row);
  };
  copy(candidates_->forward, inputs.forward);
  copy(candidates_->backward, inputs.backward);
  copy(candidates_->at_left, features.at_left);
  copy(candidates_->at_right, features.at_right);
  ComputeFeatures(inputs, padded, features);
}

}  // namespace haplospin
