// The probabilities of ALT that the states of a sample have where its haplotypes copy them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/pair_stops.h"
#include "genotypes/imputation/models/phasing/phasing_states.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

class StateAlts {
 public:
  // Reads those at the missing genotypes of a sample, or the alleles of the states before any was imputed.
  void Read(const PairStops& stops, const PhasingStates& states, const SampleGenotypes& sample);

  // [states] probabilities at the stop of a missing genotype that copies them, in 255ths.
  const uint8_t* At(const PairStop& stop) const { return alt_.data() + row_[stop.place - first_place_] * num_states_; }

 private:
  void ReadImputed(std::span<const uint32_t> missing, const PhasingStates& states);

  size_t first_place_ = 0;  // PairStop::place of the first missing genotype
  size_t num_states_ = 0;
  std::vector<uint32_t> row_;  // [stored missing genotypes] rows of alt_
  std::vector<uint8_t> alt_;   // [rows][states]
};

}  // namespace haplospin
