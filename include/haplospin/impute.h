// Imputes study samples that are in memory from a reference panel that is in memory. For files there is the program:
// `haplospin impute` (the library's own readers and writers of VCF and BCF are not installed).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "haplospin/errors.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

struct ImputeOptions {
  std::string model;  // weights made by `haplospin train`; empty: those that are installed with the library
  int threads = 0;    // 0: all cores; the result does not depend on the number
};

// The ALT probability of every study haplotype at every panel marker, in the order of both: [haplotypes, markers].
// Where the study has an allele, it is that allele: 0 or 1; the alleles of unphased genotypes are in the order of the
// phase found.
class ImputedDosages {
 public:
  ImputedDosages(const SampleTable& samples, size_t num_markers);

  size_t num_samples() const { return first_haplotype_.empty() ? 0 : first_haplotype_.size() - 1; }
  size_t num_haplotypes() const { return first_haplotype_.empty() ? 0 : first_haplotype_.back(); }
  size_t num_markers() const { return num_markers_; }

  float probability(size_t haplotype, size_t marker) const { return values_[haplotype * num_markers_ + marker]; }

  // Returns the probabilities of a haplotype: [markers]. The span is valid as long as this object is.
  std::span<const float> haplotype(size_t h) const { return {values_.data() + h * num_markers_, num_markers_}; }
  std::span<float> haplotype(size_t h) { return {values_.data() + h * num_markers_, num_markers_}; }

  // Returns the expected number of ALT alleles of a sample, DS in VCF: from 0 to its ploidy.
  float Dosage(size_t sample, size_t marker) const;

 private:
  std::vector<uint32_t> first_haplotype_;  // [samples + 1] as in SampleTable
  size_t num_markers_;
  std::vector<float> values_;
};

// Imputes a study, phased or not, at every marker of a phased panel. Both are of one contig and sorted by position.
// Study markers are joined to the panel's by position, REF and ALT; those that the panel does not have are ignored.
//
// This is what `haplospin impute` does with files, window by window (20 cM, with 2 cM on either side), and the result
// is the same. It owns its values, and nothing of the arguments is kept.
//
// Throws InputError where the model cannot be read or is of another architecture, where the study and the panel are of
// different contigs or share no marker, where the study has no samples or is not sorted, where a row of its genotypes
// has another size than its samples, where an allele is not 0, 1 or kMissingAllele, and where the number of threads is
// negative.
ImputedDosages Impute(const HaplotypePanel& panel, const StudyGenotypes& study,
                      const GeneticMap& map = GeneticMap::Uniform(), const ImputeOptions& options = {});

}  // namespace haplospin
