// What `haplospin evaluate` prints.
#pragma once

#include <string>

#include "cli/evaluate/evaluation_report.h"

namespace haplospin {

// All measures of one file, or several files side by side.
std::string EvaluationTable(const EvaluationReport& report);

}  // namespace haplospin
