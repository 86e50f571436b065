// What the user is told of windows.
#pragma once

#include <cstddef>

#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/imputation/window/window_dosages.h"

namespace haplospin {

// What one window, or several together, have come to.
struct WindowReport {
  StudyFit fit;                   // of some haplotypes to the panel, if the plan compares them with it
  PhaseErrorCounts phase_errors;  // at the wanted markers
  size_t scaled = 0;              // windows in which haplotypes are shared as far as in a herd

  WindowReport& operator+=(const WindowReport& other) {
    fit += other.fit;
    phase_errors += other.phase_errors;
    scaled += other.scaled;
    return *this;
  }
};

}  // namespace haplospin
