// What is wrong with a study, what to do about it, and whether it can be imputed.
#pragma once

#include <string>
#include <vector>

#include "assessment/checking/study_check.h"

namespace haplospin {

// A finding: a problem or a note.
struct CheckFinding {
  std::string what;
  std::string remedy;
  bool is_fixed = false;  // --fix corrects it
};

// Empty if there are no problems.
std::vector<CheckFinding> CheckFindings(const StudyCheck& check);

// Whether so few study sites are at panel positions that the two are probably of different genome builds.
bool PositionsDisagree(const StudyCheck& check);

enum class CheckVerdict { kReady, kReadyWhenFixed, kDoNotImpute, kNotCompared };

struct CheckConclusion {
  CheckVerdict verdict = CheckVerdict::kReady;
  std::string text;  // the verdict and its reason, one line
};

// `min_ratio` is the smallest fraction of the study's sites within the panel that must match it, as in impute.
CheckConclusion ConcludeCheck(const StudyCheck& check, double min_ratio);

}  // namespace haplospin
