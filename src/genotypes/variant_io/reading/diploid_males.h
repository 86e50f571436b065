// Samples of a sex chromosome that seem to be males written with two equal alleles, beside others written with one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

struct DiploidMales {
  size_t samples = 0;  // that seem to be males with two alleles
  size_t haploid = 0;  // beside these, with one allele
  std::string first;   // name of the first of `samples`
};

// Counts heterozygotes of a part of a contig in which males have one haplotype. A female has them, unless her parents
// are relatives: then not even over several megabases.
class DiploidMaleSearch {
 public:
  explicit DiploidMaleSearch(const SampleTable& samples);

  // Adds a marker of these samples: [haplotypes] alleles. Positions ascend.
  void Add(int64_t position, const std::vector<uint8_t>& alleles);

  // Returns the diploid samples with next to no heterozygote, where frequencies let expect 50: over 20 Mb any, and over
  // less only as many as are not so by chance. None where no sample is haploid.
  DiploidMales Find() const;

 private:
  const SampleTable samples_;
  int64_t first_ = -1, last_ = 0;            // bp
  std::vector<double> expected_, observed_;  // [samples] heterozygotes
};

}  // namespace haplospin
