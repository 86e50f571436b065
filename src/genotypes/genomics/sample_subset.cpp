#include "genotypes/genomics/sample_subset.h"

#include "genotypes/genomics/bits.h"

namespace haplospin {

std::vector<uint64_t> SampleSubset::Bits(const HaplotypePanel& panel, size_t marker) const {
  std::vector<uint64_t> panel_bits(panel.words_per_marker()), bits(WordsOf(num_haplotypes()));
  panel.CopyBits(marker, panel_bits.data());
  for (size_t h = 0; h < num_haplotypes(); ++h) bits[h / 64] |= uint64_t{Allele(panel_bits, h)} << h % 64;
  return bits;
}

}  // namespace haplospin
