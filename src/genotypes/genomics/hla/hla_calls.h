// The two alleles of an HLA gene that a person most probably has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "genotypes/genomics/hla/hla_allele.h"

namespace haplospin {

struct HlaPair {
  std::array<uint32_t, 2> alleles{};  // in ascending order
  double probability = 0;
};

struct HlaCall {
  HlaPair best;
  std::optional<HlaPair> next;  // the second most probable one, if there is any

  // How many fields of the best pair are certain: the alleles of a person begin with these fields with a probability of
  // at least kCertainType.
  size_t certain_fields = 0;
};

inline constexpr double kCertainType = 0.95;

// Calls the type of a person. `probabilities` of each haplotype, [alleles], are scaled to sum to 1; all are as likely
// where their sum is 0. There may be one haplotype, whose allele counts as both of the pair.
HlaCall CallHlaType(std::span<const HlaAllele> alleles, std::span<const std::span<const float>> probabilities);

}  // namespace haplospin
