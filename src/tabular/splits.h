// Which rows are for training, validation and testing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "tables/table.h"

namespace haplospin {

// Strata: groups of rows that every part of a split should have in the same proportion: the classes of a categorical
// target, fifths of the values of a numeric one, and the rows without a value.
std::vector<uint32_t> Strata(const Column& target);

// `rows` in an order in which every contiguous part has the strata (one for each of `rows`) in about the same
// proportion.
std::vector<size_t> StratifiedOrder(const std::vector<size_t>& rows, const std::vector<uint32_t>& strata,
                                    RandomStream& random);

// The part (0, 1, ..., parts - 1) of each row; parts and their strata differ in size by one row at most.
std::vector<size_t> StratifiedParts(const std::vector<uint32_t>& strata, size_t parts, RandomStream& random);

}  // namespace haplospin
