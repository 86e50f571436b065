// Whether a study can be imputed.
#pragma once

#include <string>

#include "assessment/checking/study_check.h"

namespace haplospin {

enum class CheckVerdict { kReady, kReadyWhenFixed, kDoNotImpute, kNotCompared };

struct CheckConclusion {
  CheckVerdict verdict = CheckVerdict::kReady;
  std::string text;  // the verdict and its reason, one line
};

// `min_ratio` is the smallest fraction of the study's sites within the panel that must match it, and of the panel that
// they must span, as in impute.
CheckConclusion ConcludeCheck(const StudyCheck& check, double min_ratio);

}  // namespace haplospin
