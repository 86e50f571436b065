// What is wrong with a study, and what to do about it.
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

}  // namespace haplospin
