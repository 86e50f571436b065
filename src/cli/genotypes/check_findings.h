// What is wrong with a study, and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "assessment/study_check.h"

namespace haplospin {

// Something to mend, or to know.
struct CheckFinding {
  std::string what;
  std::string remedy;
  bool is_fixed = false;  // --fix mends it
};

// Empty where all is well.
std::vector<CheckFinding> CheckFindings(const StudyCheck& check);

// Whether so few study sites are at panel positions that the two are probably of different genome builds.
bool PositionsDisagree(const StudyCheck& check);

}  // namespace haplospin
