// What a run finds in a window of a contig.
#pragma once

#include <memory>

#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/imputation/window/window_state.h"

namespace haplospin {

struct WindowResult {
  const WindowState& window;                               // of panel markers, with its dosages
  std::unique_ptr<const StudyOnlyWindow> study_only = {};  // of markers that the panel does not have, or null
};

}  // namespace haplospin
