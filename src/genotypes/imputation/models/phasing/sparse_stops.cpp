#include "genotypes/imputation/models/phasing/sparse_stops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace haplospin {
namespace {

constexpr float kMinScale = 1e-6f;  // below it, values would be differences without digits
constexpr float kMinSum = 1e-30f;

}  // namespace

void SparseStops::Start(const PairStops& stops, const PhasingStates& states, PairState& state) {
  stops_ = &stops;
  states_ = &states;
  state_ = &state;
  prior_sum_ = std::accumulate(states.prior.begin(), states.prior.end(), 0.0);
  passages_.assign(stops.stops.size(), {});
  stored_.resize(2 * stops.carriers.size());
  is_joined_ = false;
}

void SparseStops::Begin() {
  const auto n = static_cast<double>(states_->size());
  last_ = nullptr;
  mass_.fill(prior_sum_ / n);
  for (auto& row : join_) row.fill(1 / n);
}

// Behind a change, a state keeps its probability; ahead of it, that divided by the prior. The values ahead have been
// changed.
void SparseStops::ChangePrior(uint32_t s, float before, bool is_forward) {
  const float prior = states_->prior[s];
  prior_sum_ += prior - before;
  for (size_t c = 0; c < 2; ++c) {
    float& value = state_->value[c][s];
    if (is_forward) {
      value += state_->offset[c] * (before - prior) / state_->scale[c];
    } else {
      mass_[c] += (state_->scale[c] * value + state_->offset[c] * prior) * (1 - before / prior);
    }
  }
}

void SparseStops::MoveTo(const PairStop& stop, float switching) {
  AdvanceJoin(At(stop));
  const float jump = switching / static_cast<float>(states_->size());
  for (size_t c = 0; c < 2; ++c) {
    const float keep = (1 - switching) / std::max(state_->sums[c], kMinSum);
    state_->scale[c] *= keep;
    state_->offset[c] = state_->offset[c] * keep + jump;
    mass_[c] = mass_[c] * keep + jump * prior_sum_;
    if (state_->scale[c] < kMinScale) Flush(c);
  }
}

void SparseStops::Store(const PairStop& stop) {
  float* stored = stored_.data() + 2 * stop.first_carrier;
  for (const uint32_t s : stops_->CarriersAt(stop)) {
    for (size_t c = 0; c < 2; ++c) *stored++ = Probability(c, s);
  }
}

Continuations SparseStops::Join(const PairStop& stop, bool swapped) {
  double rare[2][2] = {};  // [behind][ahead]
  float* stored = stored_.data() + 2 * stop.first_carrier;
  for (const uint32_t s : stops_->CarriersAt(stop)) {
    const float behind[2] = {Probability(0, s), Probability(1, s)};
    const float ahead[2] = {stored[0] * state_->inverse_prior[s], stored[1] * state_->inverse_prior[s]};
    for (size_t c = 0; c < 2; ++c) {
      for (size_t d = 0; d < 2; ++d) rare[c][d] += behind[c] * ahead[d];
      stored[c] = behind[c];
    }
    stored += 2;
  }
  const size_t allele = stop.rare_allele;
  const Emissions& emissions = At(stop).emissions;  // ahead of which the sums are known
  Continuations continuations;
  for (size_t c = 0; c < 2; ++c) {
    for (size_t d = 0; d < 2; ++d) {
      joined_[c][d][allele] = rare[c][d];
      joined_[c][d][1 - allele] =
          std::max(join_[c][d] - emissions[d][allele] * rare[c][d], 0.0) / std::max(emissions[d][1 - allele], kMinSum);
      for (size_t a = 0; a < 2; ++a) {
        continuations.sum[c][d ^ static_cast<size_t>(swapped)][a] = static_cast<float>(joined_[c][d][a]);
      }
    }
  }
  is_joined_ = true;
  return continuations;
}

void SparseStops::Leave(const PairStop& stop, const Emissions& emissions) {
  const size_t allele = stop.rare_allele;
  const std::span<const uint32_t> carriers = stops_->CarriersAt(stop);
  for (size_t c = 0; c < 2; ++c) {
    const float common = std::max(emissions[c][1 - allele], kMinSum), rare = emissions[c][allele];
    const float ratio = rare / common, added = (ratio - 1) * state_->offset[c] / state_->scale[c];
    float values = 0, priors = 0;
    for (const uint32_t s : carriers) {
      float& value = state_->value[c][s];
      const float prior = states_->prior[s];
      values += value;
      priors += prior;
      value = ratio * value + added * prior;
    }
    const double carrier_mass = state_->scale[c] * values + state_->offset[c] * priors;
    mass_[c] = common * std::max(mass_[c] - carrier_mass, 0.0) + rare * carrier_mass;
    state_->scale[c] *= common;
    state_->offset[c] *= common;
    state_->sums[c] = static_cast<float>(mass_[c]);
  }
  LeaveJoin(emissions, {1, 1});
  last_ = &At(stop);
  *last_ = {state_->sums, emissions};
}

// A step has the same share of the prior in both haplotypes. So it makes the probabilities of the second one larger by
// a factor, which changes none of their proportions.
void SparseStops::Prepare(PairStep& step) {
  float jump[2];
  for (size_t c = 0; c < 2; ++c) {
    jump[c] = step.jump + step.keep[c] * state_->offset[c];
    step.keep[c] *= state_->scale[c];
  }
  const float factor = jump[1] > 0 ? jump[0] / jump[1] : 1;
  step.jump = jump[0];
  step.keep[1] *= factor;
  if (last_ != nullptr) last_->sums[1] /= factor;
  for (double& sum : join_[1]) sum *= factor;
}

void SparseStops::PassKnown(const PairStop& stop) { AdvanceJoin(At(stop)); }

void SparseStops::SetJoined(const Continuations& continuations, bool swapped) {
  for (size_t c = 0; c < 2; ++c) {
    for (size_t d = 0; d < 2; ++d) {
      for (size_t a = 0; a < 2; ++a) joined_[c][d][a] = continuations.sum[c][d ^ static_cast<size_t>(swapped)][a];
    }
  }
  is_joined_ = true;
}

void SparseStops::SetPassed(const PairStop& stop, const Emissions& emissions, const std::array<float, 2>& sums_before) {
  LeaveJoin(emissions, sums_before);
  last_ = &At(stop);
  last_->emissions = emissions;
  for (size_t c = 0; c < 2; ++c) {
    last_->sums[c] = sums_before[c] * state_->sums[c];
    mass_[c] = state_->sums[c];
  }
}

// Moves the sums over all states to a stop, past what the last sweep knew of the alleles.
void SparseStops::AdvanceJoin(const Passage& passage) {
  for (size_t c = 0; c < 2; ++c) {
    for (size_t d = 0; d < 2; ++d) join_[c][d] *= passage.sums[d] / std::max(state_->sums[c], kMinSum);
  }
}

// Moves the sums past what is known of the alleles now. Where these are not drawn, it is the same as in the last sweep.
void SparseStops::LeaveJoin(const Emissions& emissions, const std::array<float, 2>& sums_before) {
  if (!is_joined_) return;
  for (size_t c = 0; c < 2; ++c) {
    for (size_t d = 0; d < 2; ++d) {
      join_[c][d] =
          (emissions[c][0] * joined_[c][d][0] + emissions[c][1] * joined_[c][d][1]) / std::max(sums_before[c], kMinSum);
    }
  }
  is_joined_ = false;
}

// Makes the values the probabilities.
void SparseStops::Flush(size_t c) {
  for (uint32_t s = 0; s < states_->size(); ++s) state_->value[c][s] = Probability(c, s);
  state_->scale[c] = 1;
  state_->offset[c] = 0;
}

}  // namespace haplospin
