// Whether a table can be learned from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tables/table.h"

namespace haplospin {

// The rows in which every target has a value.
std::vector<size_t> LabeledRows(const Table& table, const std::vector<std::string>& targets);

// Throws InputError if a target has no values or is constant in the rows at `labeled`, or if these are too few.
void CheckTargets(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& labeled);

}  // namespace haplospin
