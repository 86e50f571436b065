// The markers at which the recursions of a sample stop, and the genotypes that are passive there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/phasing_states.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

struct PairStop {
  // A gap is several neighboring markers where nothing is known of the genotypes. It begins at `marker`, with the
  // missing genotype `index`.
  enum class Kind { kKnown, kHet, kMissing, kGap };

  uint32_t marker;
  Kind kind;
  uint32_t index;                               // of the heterozygote or the missing genotype
  uint32_t place;                               // of the stored states
  float switching;                              // probability of a switch between the stop before and this one
  uint32_t count = 1;                           // markers of a gap
  uint32_t first_passive = 0, end_passive = 0;  // genotypes that are passive here, indices into PairStops::passive

  // Whether few states have one of the alleles, and the genotype most probably lacks it. Then only these states, the
  // carriers, are visited (sparse_stops.h).
  bool is_sparse = false;
  uint8_t rare_allele = 0;
  uint32_t first_carrier = 0, end_carrier = 0;  // indices into PairStops::carriers
};

struct PairStops {
  std::vector<PairStop> stops;     // ascending
  std::vector<uint32_t> passive;   // missing genotypes that are passive, ascending
  std::vector<uint32_t> carriers;  // states
  size_t num_stored = 0;           // stops at which all states are stored

  // Finds those of a sample. The places of the heterozygotes are followed by those of the missing genotypes that are
  // neither passive nor sparse, and of gaps, which are where no genotype may be passive, and alleles of others were
  // imputed at all markers. The probabilities of a switch are those of `states` times `switch_probability` [typed -
  // 1]. There are sparse stops in diploid samples where genotypes may be passive.
  void Find(const SampleGenotypes& sample, std::span<const float> switch_probability, const PhasingStates& states);

  // Returns whether stops may be sparse.
  bool HaveSparse() const { return has_sparse_; }
  std::span<const uint32_t> CarriersAt(const PairStop& stop) const {
    return std::span(carriers).subspan(stop.first_carrier, stop.end_carrier - stop.first_carrier);
  }

 private:
  bool FindCarriers(const SampleGenotypes& sample, const PhasingStates& states, PairStop& stop);
  void StoreOne();
  void AssignPassive(const SampleGenotypes& sample, std::span<const float> switch_probability);

  bool has_sparse_ = false;
};

}  // namespace haplospin
