// The imputed probabilities of one window.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/imputation/copying/study_fit.h"
#include "genotypes/imputation/window/array_window.h"
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

// The probabilities of every study haplotype at the panel markers of `range`.
struct WindowDosages {
  // `typed`: the markers of `left_out`, ascending.
  WindowDosages(MarkerRange markers, size_t num_haplotypes, std::vector<uint32_t> typed = {})
      : range(markers),
        alt(num_haplotypes, markers.size()),
        left_out_markers(std::move(typed)),
        left_out(num_haplotypes, left_out_markers.size()),
        phase(0, 0) {}

  size_t num_haplotypes() const { return alt.num_haplotypes(); }

  // A marker is the index of a panel marker in `range`.
  template <std::floating_point T>
  void Set(size_t haplotype, size_t marker, T probability) {
    alt.Set(haplotype, marker - range.begin, probability);
  }
  float Get(size_t haplotype, size_t marker) const { return alt.Get(haplotype, marker - range.begin); }

  MarkerRange range;
  ProbabilityTable alt;

  // The probability of ALT at typed markers given all other alleles of the haplotype, for ER2. A model that does not
  // compute it has no such markers.
  std::vector<uint32_t> left_out_markers;
  ProbabilityTable left_out;

  // [samples, left_out_markers] the probability of the phase of a heterozygote relative to the one before it; 0 where
  // the phase was given. It has no rows where nothing was phased.
  ProbabilityTable phase;

  // Whether missing alleles are called as the most probable genotype of their sample. Otherwise each is the more
  // probable allele of its haplotype: after imputation from a panel, and in inbred lines, whose two haplotypes are
  // equal.
  bool calls_genotypes = false;

  std::optional<ArrayWindow> array;  // what the panel tells of `range`, if it is adapted to the study's array

  StudyFit fit;                   // some haplotypes compared with the panel; empty if the model does not compare them
  PhaseErrorCounts phase_errors;  // corrected in `range`
};

}  // namespace haplospin
