// Missing genotypes of families: those that keep Mendel's laws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genotypes/variant_io/fam_file.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

class FamilyCompletion {
 public:
  FamilyCompletion(const Pedigree& pedigree, size_t samples);

  // Changes the ALT probabilities `alt` [haplotypes] of a marker where the alleles that they call break Mendel's laws:
  // to those of the most probable alleles that do not. `known` are the study's alleles, or null at a marker that it
  // does not have; they stay. The haplotypes of a child are its father's and its mother's.
  void Complete(const SampleTable& samples, const std::string& contig, const std::vector<uint8_t>* known,
                std::span<float> alt) const;

 private:
  std::vector<Trio> trios_;
  std::vector<std::vector<size_t>> trios_of_;  // [samples] those that the sample is in
};

}  // namespace haplospin
