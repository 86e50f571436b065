// The importance of columns: what a model loses without their values.
#pragma once

#include <vector>

#include "core/random.h"
#include "tabular/tabular_model.h"

namespace haplospin {

// Permutation importance (Breiman 2001): the increase of the error on the rows when the values of one column are
// shuffled among them. The error is the root mean squared error of a number, in its units, or the negative
// log-likelihood of a class. Returns the mean over several shuffles for each target of the encoder and each of its
// columns; NaN for the targets themselves and where no row has the target. Uses a part of many rows.
std::vector<std::vector<double>> ColumnImportances(const TabularModel& model, const EncodedTable& rows,
                                                   RandomStream& random);

}  // namespace haplospin
