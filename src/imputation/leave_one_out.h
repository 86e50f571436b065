// What the copying model says of a typed marker when its own allele is left out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "haplospin/imputation/array_panel.h"
#include "haplospin/imputation/copying_model.h"
#include "imputation/forward_backward.h"

namespace haplospin {

// The probability of ALT at typed marker j given every other allele of the target. `forward` and `backward` are the
// states at the marker, which both have seen `allele` there: its factor is divided out of each.
float AltProbabilityWithoutOwnAllele(const ArrayPanel& panel, const CopyingModel& model, uint8_t allele, size_t j,
                                     const CopyState& forward, const CopyState& backward);

}  // namespace haplospin
