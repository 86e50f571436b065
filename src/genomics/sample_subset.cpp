#include "genomics/sample_subset.h"

namespace haplospin {

SampleSubset::SampleSubset(const SampleTable& all, std::span<const uint32_t> chosen) : samples_{{}, {0}} {
  for (const uint32_t s : chosen) {
    for (uint32_t h = all.first_haplotype[s]; h < all.first_haplotype[s + 1]; ++h) haplotypes_.push_back(h);
    samples_.names.push_back(all.names[s]);
    samples_.first_haplotype.push_back(static_cast<uint32_t>(haplotypes_.size()));
  }
}

}  // namespace haplospin
