// The probabilities of a sample's missing alleles, averaged over draws of its phase.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

class MissingAlleles {
 public:
  // Adds the probabilities of ALT on the two haplotypes of a draw, and on both: [missing]. They count as `weight`
  // draws.
  void Add(const SampleGenotypes& drawn, std::span<const float> first, std::span<const float> second,
           std::span<const float> both, float weight = 1);

  // Returns probabilities of ALT on the haplotypes of `phased`, [missing], whose products are the averages of the
  // genotype probabilities, if such exist: where all draws agree that a genotype is heterozygous, one is 1 and one is
  // 0, even if the draws disagree on its phase.
  std::array<std::vector<float>, 2> Probabilities(const SampleGenotypes& phased) const;

 private:
  // The labels of the haplotypes differ between draws. So the first haplotype is that with ALT at the last
  // heterozygote before a marker or, before the first heterozygote, at that.
  struct Sum {
    float first = 0, second = 0, both = 0;
  };

  std::vector<Sum> sums_;  // [missing]
  float draws_ = 0;
};

}  // namespace haplospin
