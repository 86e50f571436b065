#include "genotypes/imputation/models/phasing/gap_imputer.h"

#include <algorithm>

#include "genotypes/imputation/models/phasing/imputed_alts.h"

namespace haplospin {
namespace {

constexpr float kMinSum = 1e-30f;

}  // namespace

void GapImputer::Impute(const PairStop& gap, const PhasingStates& states, size_t next_change, const CopyingModel& model,
                        const PairState& behind, const float* const ahead[2], const std::array<float*, 2>& alt) {
  const size_t n = states.size();
  const float* const values[2] = {behind.value[0].data(), behind.value[1].data()};
  for (std::vector<float>& joined : joined_) joined.resize(n);
  float* const joined[2] = {joined_[0].data(), joined_[1].data()};
  JoinStates(behind.inverse_prior.data(), n, values, ahead, joined);
  const GapWeights weights{joined[0], values[0], ahead[0], joined[1], values[1], ahead[1], states.prior.data()};
  FindRows(gap, states, next_change);
  FindDistances(gap, states, model);
  sums_.resize(gap.count);
  SumAlts(weights, rows_, sums_);
  const GapSums totals = SumWeights(weights, n);
  for (size_t c = 0; c < 2; ++c) {
    const float* const total = totals.data() + c * kSecond;
    const float b = std::max(total[kBehind], kMinSum), a = std::max(total[kAhead], kMinSum), p = totals[kPrior];
    for (size_t m = 0; m < gap.count; ++m) {
      const float joined = near_[m] * far_[m] * p / b / a, behind_alone = near_[m] * (1 - far_[m]) / b,
                  ahead_alone = (1 - near_[m]) * far_[m] / a, neither = (1 - near_[m]) * (1 - far_[m]) / p;
      const auto mean = [&](const float* sums, float prior) {
        return joined * sums[kJoined] + behind_alone * sums[kBehind] + ahead_alone * sums[kAhead] + neither * prior;
      };
      alt[c][m] =
          mean(sums_[m].data() + c * kSecond, sums_[m][kPrior]) / (kCertainAlt * std::max(mean(total, p), kMinSum));
    }
  }
}

// A state that changes within the gap gets a row of its own, with the alleles of both haplotypes.
void GapImputer::FindRows(const PairStop& gap, const PhasingStates& states, size_t next_change) {
  const ImputedAlts& imputed = *states.imputed;
  const size_t place = imputed.place(gap.marker), last = gap.marker + gap.count - 1;
  rows_.resize(states.size());
  for (size_t s = 0; s < states.size(); ++s) rows_[s] = imputed.row(states.haplotype[s]) + place;
  size_t end = next_change;
  while (end < states.changes.size() && states.changes[end].marker <= last) ++end;
  const size_t stride = gap.count + kGapPadding;
  changed_.assign((end - next_change) * stride, 0);
  for (size_t i = next_change; i < end; ++i) {
    const StateChange& change = states.changes[i];
    uint8_t* const row = changed_.data() + (i - next_change) * stride;
    const size_t unchanged = change.marker - gap.marker;
    std::copy_n(rows_[change.state], unchanged, row);
    std::copy_n(imputed.row(change.haplotype) + place + unchanged, gap.count - unchanged, row + unchanged);
    rows_[change.state] = row;
  }
}

void GapImputer::FindDistances(const PairStop& gap, const PhasingStates& states, const CopyingModel& model) {
  const auto stays = [&](size_t j) {  // from marker j to the next; there is none after the last
    return j < model.switch_probability.size() ? 1 - states.switch_factor * model.switch_probability[j] : 1.0f;
  };
  near_.resize(gap.count);
  far_.resize(gap.count);
  float product = 1;
  for (size_t m = 0; m < gap.count; ++m) {
    near_[m] = product;
    product *= stays(gap.marker + m);
  }
  product = 1;
  for (size_t m = gap.count; m-- > 0;) {
    product *= stays(gap.marker + m);
    far_[m] = product;
  }
}

}  // namespace haplospin
