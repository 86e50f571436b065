// What `haplospin check --json` writes.
#pragma once

#include <string>

#include "assessment/checking/study_check.h"
#include "cli/genotypes/check_findings.h"

namespace haplospin {

std::string CheckJson(const StudyCheck& check, const CheckConclusion& conclusion);

}  // namespace haplospin
