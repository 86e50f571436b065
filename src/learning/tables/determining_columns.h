// Columns that give a target away.
#pragma once

#include <string>
#include <vector>

#include "learning/tables/table.h"

namespace haplospin {

// Returns the columns of which equal values have equal values of the target in every row that has both, beyond what
// chance would do: columns of much fewer values than rows, and numbers with which a numeric target rises or falls.
// Such a column may be another form of the target, or be known only after it. Tables of fewer than 20 rows have none.
std::vector<std::string> DeterminingColumns(const Table& table, const std::string& target);

}  // namespace haplospin
