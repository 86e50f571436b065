#include "variant_io/reading/panel_reader.h"

#include "variant_io/panel_file/panel_file.h"
#include "variant_io/reading/variant_panel_reader.h"

namespace haplospin {

std::unique_ptr<PanelReader> OpenPanel(const std::string& path) {
  return IsPanelFile(path) ? OpenPanelFile(path) : OpenVariantPanel(path);
}

}  // namespace haplospin
