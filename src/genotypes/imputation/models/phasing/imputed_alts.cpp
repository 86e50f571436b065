#include "genotypes/imputation/models/phasing/imputed_alts.h"

#include <oneapi/tbb/parallel_for.h>

#include "genotypes/genomics/bits.h"
#include "genotypes/imputation/models/phasing/gap_kernels.h"

namespace haplospin {

ImputedAlts::ImputedAlts(const HaplotypeRows& reference, std::span<const SampleGenotypes> samples,
                         std::span<const uint32_t> first)
    : place_(reference.num_markers, kNone) {
  for (size_t k = 0; k < samples.size(); ++k) {
    if (first[k] == kNoHaplotype) continue;
    for (size_t i = 0; i < samples[k].imputed[0].size(); ++i) place_[samples[k].missing[i]] = 0;
  }
  std::vector<uint32_t> markers;
  for (uint32_t j = 0; j < place_.size(); ++j) {
    if (!Has(j)) continue;
    place_[j] = static_cast<uint32_t>(markers.size());
    markers.push_back(j);
  }
  stride_ = markers.size();
  alt_.resize(reference.num_haplotypes * stride_ + kGapPadding);
  tbb::parallel_for(size_t{0}, reference.num_haplotypes, [&](size_t h) {
    const uint64_t* bits = reference.row(h);
    uint8_t* row = alt_.data() + h * stride_;
    for (const uint32_t j : markers) *row++ = HasBit(bits, j) ? kCertainAlt : 0;
  });
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t k) {
    if (first[k] == kNoHaplotype) return;
    const SampleGenotypes& sample = samples[k];
    for (uint32_t c = 0; c < sample.ploidy; ++c) {
      uint8_t* row = alt_.data() + (first[k] + c) * stride_;
      for (size_t i = 0; i < sample.imputed[c].size(); ++i) row[place_[sample.missing[i]]] = sample.imputed[c][i];
    }
  });
}

}  // namespace haplospin
