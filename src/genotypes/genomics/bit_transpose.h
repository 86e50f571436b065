// Transposes squares of bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

// Squares of 64 x 64 bits that are transposed at the same time: [row][square].
inline constexpr size_t kSquareSize = 64;
template <size_t kCount>
struct alignas(64) SquaresOfBits : std::array<std::array<uint64_t, kCount>, kSquareSize> {};

inline constexpr size_t kNumSquares = 8;
using BitSquares = SquaresOfBits<kNumSquares>;
using TwoBitSquares = SquaresOfBits<2>;

// Transposes each square in place: bit c of row r becomes bit r of row c.
void Transpose(BitSquares& squares);
void Transpose(TwoBitSquares& squares);

// Transposes up to 64 rows of so many words: sets out[c * stride] to the bits of column c, row by row, for the first
// `columns` columns.
void TransposeRows(std::span<const uint64_t> rows, size_t words, size_t columns, uint64_t* out, size_t stride);

}  // namespace haplospin
