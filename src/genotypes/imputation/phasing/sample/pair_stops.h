// The markers at which the recursions of a sample stop, and the genotypes that are filled there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/phasing/sample/sample_genotypes.h"

namespace haplospin {

struct PairStop {
  enum class Kind { kKnown, kHet, kMissing };

  uint32_t marker;
  Kind kind;
  uint32_t index;                             // of the heterozygote or the missing genotype
  uint32_t place;                             // of the stored states
  float switching;                            // probability of a switch between the stop before and this one
  uint32_t first_filled = 0, end_filled = 0;  // genotypes that are filled here, indices into PairStops::filled
};

struct PairStops {
  std::vector<PairStop> stops;   // ascending
  std::vector<uint32_t> filled;  // missing genotypes that are filled, ascending

  // Finds those of a sample. The places of the heterozygotes are followed by those of the missing genotypes that are
  // not filled. The probabilities of a switch are `factor` times `switch_probability` [typed - 1].
  void Find(const SampleGenotypes& sample, std::span<const float> switch_probability, float factor);

 private:
  void AssignFilled(const SampleGenotypes& sample, std::span<const float> switch_probability);
};

}  // namespace haplospin
