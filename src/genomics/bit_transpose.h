// Transposes a square of bits.
#pragma once

#include <cstdint>

namespace haplospin {

// In place: bit c of word r becomes bit r of word c. Swaps off-diagonal squares of half the size, then of a quarter,
// ... (H. S. Warren, Hacker's Delight, section 7-3).
inline void Transpose64x64(uint64_t* words) {
  uint64_t low = 0x00000000FFFFFFFFu;
  for (unsigned size = 32; size != 0; size /= 2, low ^= low << size) {
    for (unsigned base = 0; base < 64; base += 2 * size) {
      for (unsigned r = base; r < base + size; ++r) {
        const uint64_t swapped = (words[r] >> size ^ words[r + size]) & low;
        words[r] ^= swapped << size;
        words[r + size] ^= swapped;
      }
    }
  }
}

}  // namespace haplospin
