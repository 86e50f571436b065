// What `haplospin evaluate` writes for other programs.
#pragma once

#include <string>

#include "cli/evaluate/evaluation_report.h"

namespace haplospin {

// One line per file and group; "NA" where a measure is undefined.
std::string EvaluationTsv(const EvaluationReport& report);

// One line per file and sample.
std::string PerSampleTsv(const EvaluationReport& report);

// Everything; null where a measure is undefined.
std::string EvaluationJson(const EvaluationReport& report);

}  // namespace haplospin
