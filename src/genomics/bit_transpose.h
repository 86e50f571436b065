// Transposes squares of bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace haplospin {

// Squares of 64 x 64 bits that are transposed at the same time: [row][square].
inline constexpr size_t kSquareSize = 64;
inline constexpr size_t kNumSquares = 8;
struct alignas(64) BitSquares : std::array<std::array<uint64_t, kNumSquares>, kSquareSize> {};

// In place, in each square: bit c of row r becomes bit r of row c.
void Transpose(BitSquares& squares);

}  // namespace haplospin
