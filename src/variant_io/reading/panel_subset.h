// A panel with some of its samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "variant_io/reading/panel_reader.h"

namespace haplospin {

// As OpenPanel(), with the samples of `names` alone, in the panel's order; all of them where `names` is empty. Markers
// whose ALT none of them has are kept. Throws InputError if the panel does not have one of the samples.
std::unique_ptr<PanelReader> OpenPanelSubset(const std::string& path, const std::vector<std::string>& names);

}  // namespace haplospin
