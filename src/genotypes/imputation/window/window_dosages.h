// The imputed probabilities of one window.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/imputation/window/marker_range.h"
#include "genotypes/imputation/window/probability_table.h"

namespace haplospin {

// Errors in the given phase of a study, which were corrected to impute it.
struct PhaseErrorCounts {
  size_t errors = 0;
  size_t hets = 0;  // typed heterozygotes with a given phase

  PhaseErrorCounts& operator+=(const PhaseErrorCounts& other) {
    errors += other.errors;
    hets += other.hets;
    return *this;
  }
};

// What a model finds of alleles that the study has, beside the dosages.
struct TypedProbabilities {
  TypedProbabilities(std::vector<uint32_t> typed, size_t num_haplotypes)
      : markers(std::move(typed)), left_out(num_haplotypes, markers.size()) {}

  std::vector<uint32_t> markers;  // panel markers, ascending

  // [haplotypes, markers] the probability of ALT given all other alleles of the haplotype, for ER2.
  ProbabilityTable left_out;

  // [samples, markers] the probability of the phase of a heterozygote relative to the one before it; 0 where the phase
  // was given. Absent where nothing was phased.
  std::optional<ProbabilityTable> phase;
};

// The probabilities of every study haplotype at the panel markers of `range`.
struct WindowDosages {
  WindowDosages(MarkerRange markers, size_t num_haplotypes) : range(markers), alt(num_haplotypes, markers.size()) {}

  // For a model that also finds the probabilities of typed markers, which are in `markers`.
  WindowDosages(MarkerRange markers, size_t num_haplotypes, TypedProbabilities typed_markers)
      : range(markers), alt(num_haplotypes, markers.size()), typed(std::move(typed_markers)) {}

  size_t num_haplotypes() const { return alt.num_haplotypes(); }

  // A marker is the index of a panel marker in `range`.
  template <std::floating_point T>
  void Set(size_t haplotype, size_t marker, T probability) {
    alt.Set(haplotype, marker - range.begin, probability);
  }
  float Get(size_t haplotype, size_t marker) const { return alt.Get(haplotype, marker - range.begin); }

  MarkerRange range;
  ProbabilityTable alt;
  std::optional<TypedProbabilities> typed;
  std::optional<ProbabilityTable> animals;  // of Pedigree::animals, two haplotypes each, if they were found
};

}  // namespace haplospin
