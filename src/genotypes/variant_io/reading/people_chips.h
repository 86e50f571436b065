// Which people were typed on the same chip, by the positions of their genotypes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/variant_io/personal_file.h"

namespace haplospin {

// People of one chip share at least this part of their positions, also where some calls of each have failed. Chips of
// several services, and versions of one, mostly share less than half.
inline constexpr double kSharedByChip = 0.75;

// Returns the people of each chip, as indices in ascending order. A person is of the first chip whose first person has
// enough of the same positions.
std::vector<std::vector<size_t>> GroupByChip(std::span<const PersonalFile> people);

}  // namespace haplospin
