// What `haplospin np evaluate` prints and writes.
#pragma once

#include <string>

#include "cli/np/np_evaluation.h"
#include "cli/np/np_predictor.h"
#include "core/provenance.h"

namespace haplospin {

std::string NpEvaluationText(const ChosenPredictor& chosen, const NpEvaluation& evaluation);
std::string NpEvaluationJson(const ChosenPredictor& chosen, const NpEvaluation& evaluation, const std::string& task,
                             int64_t seed);
std::string NpEvaluationPage(const ChosenPredictor& chosen, const NpEvaluation& evaluation, const std::string& task,
                             const Provenance& provenance);

}  // namespace haplospin
