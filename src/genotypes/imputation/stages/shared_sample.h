// The haplotypes of a sample that is in the study and in the panel.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/window/marker_range.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Those of the panel, except at markers where the study has its alleles. Those between are in the order of the last
// heterozygote of the study, or the first one.
class SharedSample {
 public:
  SharedSample(const HaplotypePanel& panel, size_t sample, size_t panel_sample, MarkerRange range)
      : panel_(panel),
        sample_(sample),
        first_(panel.samples().first_haplotype[panel_sample]),
        range_(range),
        next_(range.begin),
        rows_(static_cast<size_t>(panel.samples().ploidy(panel_sample)), std::vector<float>(range.size())),
        is_kept_(range.size()) {}

  size_t sample() const { return sample_; }

  // Keeps the study's alleles, probabilities of 0 or 1, at a marker. Markers must ascend. Those before a heterozygote
  // are copied once it is there.
  void Keep(size_t m, std::span<const float> alt);

  // [ploidy][markers]
  std::vector<std::vector<float>> Take();

 private:
  void CopyUntil(size_t end);

  const HaplotypePanel& panel_;
  const size_t sample_, first_;  // of the study; haplotype of the panel
  const MarkerRange range_;
  size_t next_;  // marker to be copied
  std::vector<std::vector<float>> rows_;
  std::vector<bool> is_kept_;  // [markers] the study has it
  bool has_order_ = false, is_exchanged_ = false;
};

}  // namespace haplospin
