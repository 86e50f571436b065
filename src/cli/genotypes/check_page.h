// The page of `haplospin check --html`.
#pragma once

#include <string>

#include "assessment/study_check.h"

namespace haplospin {

// One file without scripts that needs nothing beside it; a few tens of kilobytes whatever the study's size.
std::string CheckPage(const StudyCheck& check);

}  // namespace haplospin
