// What `haplospin check --json` writes.
#pragma once

#include <string>

#include "assessment/checking/check_conclusion.h"
#include "assessment/checking/study_check.h"

namespace haplospin {

std::string CheckJson(const StudyCheck& check, const CheckConclusion& conclusion);

}  // namespace haplospin
