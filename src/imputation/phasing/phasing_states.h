// The states of the recursions that phase a sample: haplotypes that can be copied, real or composite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace haplospin {

// From typed marker `marker` on, a state stands for another haplotype.
struct StateChange {
  uint32_t marker;
  uint32_t state;
  uint32_t haplotype;
  float prior;
};

struct PhasingStates {
  const uint64_t* bits = nullptr;  // [typed, words]: bit s of a row is the allele of state s
  size_t words = 0;                // of a typed marker
  // [states] at the first typed marker.
  std::vector<uint32_t> haplotype;
  std::vector<float> prior;          // probability that a switch leads to the state, relative to 1 / states
  std::vector<StateChange> changes;  // ascending by marker; none at the first

  size_t size() const { return haplotype.size(); }
  const uint64_t* at(size_t j) const { return bits + j * words; }
};

}  // namespace haplospin
