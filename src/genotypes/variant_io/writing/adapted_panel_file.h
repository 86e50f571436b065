// Writes a panel file with what is known of it and an array.
#pragma once

#include <span>
#include <string>

#include "genotypes/variant_io/panel_file/panel_file.h"

namespace haplospin {

// Copies the panel's blocks, and adds an adaptation for each entry of its index: [contigs]. `array` is the array's name
// in the file. What the panel had of another array is not copied. Throws InputError if `output` cannot be written;
// nothing is left then.
PanelFileSummary WriteAdaptedPanelFile(const PanelBlockReader& panel, const std::string& array,
                                       std::span<const PanelAdaptation> adaptations, const std::string& output);

}  // namespace haplospin
