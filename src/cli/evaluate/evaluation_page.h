// The page of `haplospin evaluate --report`.
#pragma once

#include <string>

#include "assessment/truth_set.h"
#include "cli/evaluate/evaluation_report.h"
#include "core/provenance.h"

namespace haplospin {

// One HTML file without scripts or external files. Its size does not depend on the number of sites; if there are many
// samples, it lists those with the lowest accuracy.
std::string EvaluationPage(const EvaluationReport& report, const TruthSet& truth, const Provenance& provenance);

}  // namespace haplospin
