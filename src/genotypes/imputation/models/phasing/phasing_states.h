// The states of the recursions of a sample: haplotypes of the reference, or composites of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/phasing/imputed_alts.h"

namespace haplospin {

// A change of the haplotype that a state stands for, at the left end of a typed marker.
struct StateChange {
  uint32_t marker;
  uint32_t state;
  uint32_t haplotype;
  float prior;
};

struct PhasingStates {
  const uint64_t* bits = nullptr;    // [typed, words]: bit s of a row is the allele of state s
  size_t words = 0;                  // words of a row
  std::vector<uint32_t> haplotype;   // [states] haplotypes at the first typed marker
  std::vector<float> prior;          // [states] probability that a switch leads to the state, times the states
  std::vector<StateChange> changes;  // ascending by marker; none at the first
  const ImputedAlts* imputed = nullptr;
  float switch_factor = 1;  // of the switch probabilities of the model

  size_t size() const { return haplotype.size(); }
  const uint64_t* at(size_t j) const { return bits + j * words; }

  // Applies the changes from `next` on up to the left end of marker j or, backward, takes back those beyond it, and
  // calls changed(state, earlier prior) for each.
  template <typename Changed>
  void MoveTo(size_t j, bool is_forward, size_t& next, const Changed& changed) {
    const auto apply = [&](StateChange& change) {
      std::swap(haplotype[change.state], change.haplotype);
      std::swap(prior[change.state], change.prior);
      changed(change.state, change.prior);
    };
    if (is_forward) {
      while (next < changes.size() && changes[next].marker <= j) apply(changes[next++]);
    } else {
      while (next > 0 && changes[next - 1].marker > j) apply(changes[--next]);
    }
  }
};

}  // namespace haplospin
