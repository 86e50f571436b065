#include "genotypes/imputation/models/copying/naive_copying.h"

#include <algorithm>
#include <cmath>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using State = std::vector<double>;

void Normalize(State& state) {
  double sum = 0;
  for (const double p : state) sum += p;
  for (double& p : state) p /= sum;
}

// The rules of one target's copying.
struct Copying {
  const TypedPanel& panel;
  const CopyingModel& model;
  const TargetHaplotype& target;
  const std::vector<bool>& without_state;
  State uniform;

  Copying(const TypedPanel& p, const CopyingModel& m, const TargetHaplotype& t, const ExcludedHaplotypes& excluded,
          const std::vector<bool>& without)
      : panel(p), model(m), target(t), without_state(without), uniform(p.num_haplotypes(), 1.0) {
    for (const uint32_t h : excluded.span()) uniform[h] = 0;
    Normalize(uniform);
  }

  State Switch(const State& state, double probability) const {
    State moved(state.size());
    for (size_t h = 0; h < state.size(); ++h) moved[h] = (1 - probability) * state[h] + probability * uniform[h];
    return moved;
  }

  State SeeAllele(State state, size_t j) const {
    if (target.alleles[j] == kMissingAllele) return state;
    const double mismatch = double{model.mismatch_probability};
    for (size_t h = 0; h < state.size(); ++h) {
      const int allele = panel.haplotype_bits(h)[j / 64] >> (j % 64) & 1;
      const bool has_state = without_state.empty() || !without_state[h];
      const double same = has_state ? allele == target.alleles[j] : panel.frequency(j, target.alleles[j]);
      state[h] *= same * (1 - mismatch) + (1 - same) * mismatch;
    }
    Normalize(state);
    return state;
  }
};

State Product(State product, const State& other) {
  for (size_t h = 0; h < product.size(); ++h) product[h] *= other[h];
  Normalize(product);
  return product;
}

double Half(double probability) { return 1 - std::sqrt(1 - probability); }

}  // namespace

std::vector<double> NaiveCopying::LeftPosterior(size_t interval) const {
  return Product(forward[interval], end_backward[interval]);
}

std::vector<double> NaiveCopying::RightPosterior(size_t interval) const {
  return Product(end_forward[interval], backward[interval]);
}

NaiveCopying ComputeNaiveCopying(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                                 const ExcludedHaplotypes& excluded, const std::vector<bool>& without_state) {
  const Copying copying(panel, model, target, excluded, without_state);
  const size_t m = panel.num_typed();
  NaiveCopying naive;
  naive.forward.assign(m + 1, copying.uniform);
  naive.backward.assign(m + 1, copying.uniform);
  for (size_t j = 0; j < m; ++j) {
    const State before = j == 0 ? copying.uniform : copying.Switch(naive.forward[j], model.switch_probability[j - 1]);
    naive.forward[j + 1] = copying.SeeAllele(before, j);
  }
  for (size_t j = m; j-- > 0;) {
    const State after =
        j + 1 == m ? copying.uniform : copying.Switch(naive.backward[j + 1], model.switch_probability[j]);
    naive.backward[j] = copying.SeeAllele(after, j);
  }
  for (size_t i = 0; i <= m; ++i) {
    const double switching = i == 0 || i == m ? 0 : double{model.switch_probability[i - 1]};
    naive.middle_forward.push_back(copying.Switch(naive.forward[i], Half(switching)));
    naive.middle_backward.push_back(copying.Switch(naive.backward[i], Half(switching)));
    naive.end_forward.push_back(copying.Switch(naive.forward[i], switching));
    naive.end_backward.push_back(copying.Switch(naive.backward[i], switching));
  }
  return naive;
}

}  // namespace haplospin
