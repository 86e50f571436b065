// A marker of the study while its contig is imputed.
#pragma once

#include <cstdint>

#include "genotypes/genomics/sites/panel_alignment.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// The genotypes are coded as in the panel, and in the phase that is known so far.
struct ContigMarker : StudyMarker {
  uint32_t panel_marker = kNotInPanel;  // or another value of PanelAlignment

  bool IsTyped() const { return haplospin::IsTyped(panel_marker); }
};

}  // namespace haplospin
