// Mendel's laws at one marker of a child and its parents.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace haplospin {

// The alleles of a family, [ploidy] each; those of an unknown parent are empty.
struct FamilyAlleles {
  std::span<const uint8_t> child;
  std::array<std::span<const uint8_t>, 2> parents;  // father, mother

  // Returns whether the alleles of all who are known are there, and not all the same.
  bool IsInformative() const;
};

// The alleles that a child has from its father and its mother; kMissingAllele if it cannot be told.
using Transmitted = std::array<uint8_t, 2>;

// Returns nullopt if the genotypes break Mendel's laws. Missing alleles may be any.
std::optional<Transmitted> FindTransmitted(const FamilyAlleles& family, std::string_view contig);

}  // namespace haplospin
