// Genotypes as counts of ALT alleles.
#pragma once

#include <cstdint>

namespace haplospin {

inline constexpr int8_t kMissingGenotype = -1;

}  // namespace haplospin
