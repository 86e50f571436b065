// The parts of the page of `tabular evaluate` about one target.
#pragma once

#include <vector>

#include "report/chart.h"
#include "report/page.h"
#include "tables/table.h"
#include "tabular/tabular_evaluation.h"

namespace haplospin {

// Of classes: predicted against true classes; base rate, precision, recall and F1 of each; ROC curves; and how often
// predictions of a probability are right. Of numbers: predicted against true values, and the errors that were expected
// against those that were made.
void AddTarget(Page& page, const Column& column, const std::vector<TestPrediction>& predictions);

}  // namespace haplospin
