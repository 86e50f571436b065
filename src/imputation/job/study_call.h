// One genotype of a study in memory, and what is known of its phase.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "haplospin/study_genotypes.h"

namespace haplospin {

struct StudyCall {
  StudyGenotypes& study;
  size_t marker;
  size_t sample;

  // One or two.
  std::span<uint8_t> alleles() const {
    const std::vector<uint32_t>& first = study.samples.first_haplotype;
    return std::span(study.alleles[marker]).subspan(first[sample], first[sample + 1] - first[sample]);
  }
  bool is_missing() const { return std::ranges::find(alleles(), kMissingAllele) != alleles().end(); }
  bool is_heterozygous() const { return alleles().size() == 2 && alleles()[0] != alleles()[1] && !is_missing(); }
  bool is_unphased() const { return !study.unphased[marker].empty() && study.unphased[marker][sample] != 0; }
  uint32_t set() const { return study.phase_sets[marker].empty() ? 0 : study.phase_sets[marker][sample]; }

  void Exchange() const { std::swap(alleles()[0], alleles()[1]); }

  void SetUnphased(bool is_unphased) const {
    if (study.unphased[marker].empty() && !is_unphased) return;
    study.unphased[marker].resize(study.samples.num_samples());
    study.unphased[marker][sample] = is_unphased ? 1 : 0;
  }
  void SetPhaseSet(uint32_t set) const {
    if (study.phase_sets[marker].empty() && set == 0) return;
    study.phase_sets[marker].resize(study.samples.num_samples());
    study.phase_sets[marker][sample] = set;
  }
};

}  // namespace haplospin
