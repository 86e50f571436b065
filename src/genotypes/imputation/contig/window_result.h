// What a run finds in a window of a contig.
#pragma once

#include <optional>

#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/imputation/window/array_window.h"
#include "genotypes/imputation/window/window_dosages.h"

namespace haplospin {

struct WindowResult {
  WindowDosages dosages;                  // of panel markers, as the model finds them
  std::optional<ArrayWindow> array = {};  // what the panel tells of these, if it is adapted to the study's array
  std::optional<StudyOnlyDosages> study_only = {};  // of markers that the panel does not have, if they are imputed
};

}  // namespace haplospin
