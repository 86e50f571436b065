// Transposes squares of bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace haplospin
