// The page of `haplospin evaluate --report`.
#pragma once

#include <string>

#include "assessment/truth_set.h"
#include "cli/genotypes/evaluation_report.h"

namespace haplospin {

// One file without scripts that needs nothing beside it. Its size does not depend on the number of sites; of many
// samples it lists those imputed worst.
std::string EvaluationPage(const EvaluationReport& report, const TruthSet& truth);

}  // namespace haplospin
