// Rows of bits in words of 64: bit i is bit i % 64 of word i / 64.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

// Words of a row of so many bits.
constexpr size_t WordsOf(size_t bits) { return (bits + 63) / 64; }

// The bits of the last word of such a row.
constexpr uint64_t LastWordMask(size_t bits) { return bits % 64 == 0 ? ~uint64_t{0} : (uint64_t{1} << bits % 64) - 1; }

// `row` is a vector, a span or a pointer.
template <typename Row>
bool HasBit(const Row& row, size_t i) {
  return (row[i / 64] >> i % 64 & 1) != 0;
}

template <typename Row>
void SetBit(Row& row, size_t i) {
  row[i / 64] |= uint64_t{1} << i % 64;
}

// The number of ones.
inline size_t CountBits(std::span<const uint64_t> row) {
  size_t count = 0;
  for (const uint64_t word : row) count += static_cast<size_t>(std::popcount(word));
  return count;
}

}  // namespace haplospin
