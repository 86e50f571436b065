// One genotype of a study in memory, and what is known of its phase.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "haplospin/study_genotypes.h"

namespace haplospin {

struct StudyCall {
  const SampleTable& samples;
  std::vector<uint8_t>& row;          // [haplotypes] alleles of the marker
  std::vector<uint8_t>& unphased;     // [samples], or empty
  std::vector<uint32_t>& phase_sets;  // [samples], or empty
  size_t sample;

  StudyCall(const SampleTable& of, std::vector<uint8_t>& alleles, std::vector<uint8_t>& unphased_samples,
            std::vector<uint32_t>& sets, size_t s)
      : samples(of), row(alleles), unphased(unphased_samples), phase_sets(sets), sample(s) {}
  StudyCall(StudyGenotypes& study, size_t marker, size_t s)
      : StudyCall(study.samples, study.alleles[marker], study.unphased[marker], study.phase_sets[marker], s) {}

  // One allele or two.
  std::span<uint8_t> alleles() const {
    const uint32_t first = samples.first_haplotype[sample];
    return std::span(row).subspan(first, samples.first_haplotype[sample + 1] - first);
  }
  bool is_missing() const { return std::ranges::find(alleles(), kMissingAllele) != alleles().end(); }
  bool is_heterozygous() const { return alleles().size() == 2 && alleles()[0] != alleles()[1] && !is_missing(); }
  bool is_unphased() const { return !unphased.empty() && unphased[sample] != 0; }
  uint32_t set() const { return phase_sets.empty() ? 0 : phase_sets[sample]; }

  void Exchange() const { std::swap(alleles()[0], alleles()[1]); }

  void SetUnphased(bool is_unphased) const {
    if (unphased.empty() && !is_unphased) return;
    unphased.resize(samples.num_samples());
    unphased[sample] = is_unphased ? 1 : 0;
  }
  void SetPhaseSet(uint32_t set) const {
    if (phase_sets.empty() && set == 0) return;
    phase_sets.resize(samples.num_samples());
    phase_sets[sample] = set;
  }
};

}  // namespace haplospin
