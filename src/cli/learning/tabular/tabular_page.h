// The results of `tabular evaluate` as text, JSON and a page.
#pragma once

#include <string>
#include <vector>

#include "cli/learning/tabular/tabular_options.h"
#include "core/provenance.h"
#include "learning/tabular/tabular_evaluation.h"

namespace haplospin {

struct EvaluatedTable {
  const TabularOptions& options;
  const TabularTrainingOptions& training;
  const Table& table;
  const CrossValidation& evaluation;
};

// A line of measures for the model, by its name, and for each of the predictions that it has to beat.
std::vector<std::string> ComparisonLines(const MetricsComparison& comparison, const std::string& model);

// A row for each target and measure: mean over the folds, standard error.
std::string EvaluationText(const EvaluatedTable& evaluated);
std::string EvaluationJson(const EvaluatedTable& evaluated);
std::string EvaluationPage(const EvaluatedTable& evaluated, const Provenance& provenance);

// The rows that were attended to most: line, weight, targets.
std::string ExplanationText(const EvaluatedTable& evaluated);

}  // namespace haplospin
