#include "genomics/haplotype_major_bits.h"

#include <algorithm>

#include "genomics/bit_transpose.h"

namespace haplospin {

HaplotypeMajorBits::HaplotypeMajorBits(const HaplotypePanel& panel, std::span<const uint32_t> markers)
    : words_((markers.size() + 63) / 64), bits_(panel.num_haplotypes() * words_) {
  const size_t panel_words = panel.words_per_marker();
  std::vector<uint64_t> rows(kSquareSize * panel_words);
  BitSquares squares;
  for (size_t word = 0; word < words_; ++word) {
    const size_t count = std::min(kSquareSize, markers.size() - word * kSquareSize);
    for (size_t k = 0; k < count; ++k) panel.CopyBits(markers[word * kSquareSize + k], rows.data() + k * panel_words);
    for (size_t w = 0; w < panel_words; w += kNumSquares) {
      const size_t width = std::min(kNumSquares, panel_words - w);
      squares.fill({});
      for (size_t k = 0; k < count; ++k) std::copy_n(rows.data() + k * panel_words + w, width, squares[k].begin());
      Transpose(squares);
      const size_t haplotypes = std::min(width * kSquareSize, panel.num_haplotypes() - w * kSquareSize);
      for (size_t h = 0; h < haplotypes; ++h) {
        bits_[(w * kSquareSize + h) * words_ + word] = squares[h % kSquareSize][h / kSquareSize];
      }
    }
  }
}

}  // namespace haplospin
