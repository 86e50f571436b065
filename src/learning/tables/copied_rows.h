// Rows that are in a table several times.
#pragma once

#include <cstddef>
#include <vector>

#include "learning/tables/table.h"

namespace haplospin {

// Returns the rows of a table without its copies, in their order: of rows that are equal in every column, also in what
// is missing, the first. Rows of a table whose columns all have few values may be equal by chance, and all are
// returned: a numeric column is needed that has twenty values at least, and nine for ten different rows, and a value in
// the copies.
std::vector<size_t> RowsWithoutCopies(const Table& table);

}  // namespace haplospin
