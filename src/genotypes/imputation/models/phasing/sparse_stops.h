// Passes the stops of the pair sampler at which few states have one of the alleles in time proportional to their
// number.
#pragma once

#include <oneapi/tbb/cache_aligned_allocator.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "genotypes/imputation/models/phasing/pair_kernels.h"
#include "genotypes/imputation/models/phasing/pair_stops.h"
#include "genotypes/imputation/models/phasing/phasing_states.h"

namespace haplospin {

// The probabilities of the states of both haplotypes in a sweep: of state s, scale * value[s] + offset * prior[s].
struct PairState {
  // Vectors of floats that do not begin at a cache line are read and written from two lines.
  using Floats = std::vector<float, tbb::cache_aligned_allocator<float>>;

  std::array<Floats, 2> value;  // [2][states]
  std::array<float, 2> scale = {1, 1}, offset = {};
  std::array<float, 2> sums = {1, 1};  // by which the next step divides the probabilities
  Floats inverse_prior;                // [states] at the present marker
};

// A step to a sparse stop changes the scale and the offset, and an emission these and the values of the carriers. What
// a draw needs of the other states is their share of the continuations of both haplotypes. It follows from those of the
// stop before: if X_c are the probabilities behind a marker and Y_d those ahead, divided by the priors, and the sums by
// which the steps divided them are x_c and y_d, the step from one marker to the next changes the sum of X_c Y_d over
// the states to y_d / x_c times as much. At stops that are not sparse, the sums are found anew.
class SparseStops {
 public:
  using Emissions = std::array<std::array<float, 2>, 2>;  // [haplotype][allele]

  // All must outlive the sweeps. Stops may be sparse.
  void Start(const PairStops& stops, const PhasingStates& states, PairState& state);

  // Begins a sweep, whose state has been set.
  void Begin();

  // Tells that the prior of a state has changed, after `state` was.
  void ChangePrior(uint32_t s, float before, bool is_forward);

  // At sparse stops: moves the states to it; stores those of its carriers; replaces those that were stored by the
  // present ones, and joins them; moves the states past what is known of the alleles.
  void MoveTo(const PairStop& stop, float switching);
  void Store(const PairStop& stop);
  Continuations Join(const PairStop& stop, bool swapped);
  void Leave(const PairStop& stop, const Emissions& emissions);

  // At other stops: makes a step of values one of probabilities; tells that the next step leads to and past the stop,
  // the alleles being known; how the states were joined; that they have passed it, and the sums of their probabilities
  // before.
  void Prepare(PairStep& step);
  void PassKnown(const PairStop& stop);
  void SetJoined(const Continuations& continuations, bool swapped);
  void SetPassed(const PairStop& stop, const Emissions& emissions, const std::array<float, 2>& sums_before);

 private:
  // How the last sweep has passed a stop.
  struct Passage {
    std::array<float, 2> sums = {1, 1};  // of the probabilities times the emissions
    Emissions emissions = {{{1, 1}, {1, 1}}};
  };

  void AdvanceJoin(const Passage& passage);
  void LeaveJoin(const Emissions& emissions, const std::array<float, 2>& sums_before);
  void Flush(size_t c);
  float Probability(size_t c, uint32_t s) const {
    return state_->scale[c] * state_->value[c][s] + state_->offset[c] * states_->prior[s];
  }
  Passage& At(const PairStop& stop) { return passages_[static_cast<size_t>(&stop - stops_->stops.data())]; }

  const PairStops* stops_ = nullptr;
  const PhasingStates* states_ = nullptr;
  PairState* state_ = nullptr;
  double prior_sum_ = 0;
  Passage* last_ = nullptr;        // of the last stop of the sweep
  std::array<double, 2> mass_{};   // sums of the present probabilities
  std::vector<Passage> passages_;  // [stops]
  std::vector<float> stored_;      // [carriers, 2] probabilities in the last sweep, before what is known of the alleles

  // Sums over all states, [behind][ahead], where the haplotypes ahead are those of the last sweep: past the last stop,
  // and [allele] at the present one, if they were joined there.
  std::array<std::array<double, 2>, 2> join_{};
  std::array<std::array<std::array<double, 2>, 2>, 2> joined_{};
  bool is_joined_ = false;
};

}  // namespace haplospin
