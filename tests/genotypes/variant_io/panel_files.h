// Panel files for tests.
#pragma once

#include <string>

#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/writing/panel_file_builder.h"

namespace haplospin {

// Converts the panel in the file `input`.
inline void BuildPanelFile(const std::string& input, const std::string& output, const PanelBuildOptions& options) {
  BuildPanelFile(*OpenPanel(input), input, output, options);
}

}  // namespace haplospin
