// The page of `haplospin check --html`.
#pragma once

#include <string>

#include "assessment/checking/check_conclusion.h"
#include "assessment/checking/study_check.h"
#include "core/provenance.h"

namespace haplospin {

// One HTML file without scripts or external files; a few tens of kilobytes for studies of any size.
std::string CheckPage(const StudyCheck& check, const CheckConclusion& conclusion, const Provenance& provenance);

}  // namespace haplospin
