#include <algorithm>
#include <array>

#include "genomics/bit_transpose.h"
#include "haplospin/genomics/haplotype_panel.h"

namespace haplospin {

HaplotypeMajorBits::HaplotypeMajorBits(const HaplotypePanel& panel, std::span<const uint32_t> markers)
    : words_((markers.size() + 63) / 64), bits_(panel.num_haplotypes() * words_) {
  const size_t panel_words = panel.words_per_marker();
  std::vector<uint64_t> rows(64 * panel_words);
  std::array<uint64_t, 64> square;
  for (size_t word = 0; word < words_; ++word) {
    const size_t count = std::min<size_t>(64, markers.size() - word * 64);
    for (size_t k = 0; k < count; ++k) panel.CopyBits(markers[word * 64 + k], rows.data() + k * panel_words);
    for (size_t w = 0; w < panel_words; ++w) {
      for (size_t k = 0; k < 64; ++k) square[k] = k < count ? rows[k * panel_words + w] : 0;
      Transpose64x64(square.data());
      const size_t haplotypes = std::min<size_t>(64, panel.num_haplotypes() - w * 64);
      for (size_t h = 0; h < haplotypes; ++h) bits_[(w * 64 + h) * words_ + word] = square[h];
    }
  }
}

}  // namespace haplospin
