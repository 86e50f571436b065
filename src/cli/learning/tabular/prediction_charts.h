// What a page shows of the predictions for one target.
#pragma once

#include <vector>

#include "learning/tables/table.h"
#include "learning/tabular/tabular_evaluation.h"
#include "report/page.h"

namespace haplospin {

// Adds the charts and tables of a column's predictions: of errors if it is numeric, else of its categories.
void AddPredictions(Page& page, const Column& column, const std::vector<TestPrediction>& predictions);

}  // namespace haplospin
