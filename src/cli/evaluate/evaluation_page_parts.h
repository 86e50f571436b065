// The sections of the page of `haplospin evaluate --report`.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "assessment/truth_set.h"
#include "cli/evaluate/evaluation_report.h"
#include "report/page.h"

namespace haplospin {

void AddFrequencies(const EvaluationReport& report, Page& page);
void AddCalibration(const EvaluationReport& report, const TruthSet& truth, Page& page);
void AddAlongContigs(const EvaluationReport& report, const TruthSet& truth, Page& page);
void AddPopulations(const EvaluationReport& report, Page& page);
void AddPhase(const EvaluationReport& report, Page& page);
void AddSamples(const EvaluationReport& report, Page& page);

// From 0 to 1.
ChartAxis ShareAxis(const std::string& title);

// Three columns for each file: its r2, `second`, and non-reference concordance.
void AddMeasureHeadings(const EvaluationReport& report, const std::string& second, PageTable& table);
void AddMeasures(std::initializer_list<double> values, std::vector<std::string>& row);

}  // namespace haplospin
