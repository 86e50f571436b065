// How much the predictions of a model depend on each column.
#pragma once

#include <vector>

#include "core/random.h"
#include "tabular/tabular_model.h"

namespace haplospin {

// By how much the error on the rows grows when the values of one column are shuffled among them (permutation
// importance; Breiman 2001): the root mean squared error of a number, in its units, or the negative log-likelihood of a
// class. Mean over several shuffles, of the encoder's columns for each of its targets; NaN for the targets themselves
// and where no row has the target. Of many rows a part is used.
std::vector<std::vector<double>> ColumnImportances(const TabularModel& model, const EncodedTable& rows,
                                                   RandomStream& random);

}  // namespace haplospin
