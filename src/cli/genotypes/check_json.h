// What `haplospin check --json` writes.
#pragma once

#include <string>

#include "assessment/study_check.h"

namespace haplospin {

std::string CheckJson(const StudyCheck& check);

}  // namespace haplospin
