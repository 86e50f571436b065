// Reference panels in VCF, VCF.gz and BCF.
#pragma once

#include <memory>
#include <string>

#include "variant_io/reading/panel_reader.h"

namespace haplospin {

std::unique_ptr<PanelReader> OpenVariantPanel(const std::string& path);

}  // namespace haplospin
