#include "genotypes/imputation/window/panel_window.h"

#include <algorithm>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::optional<TypedPanel> MakeTypedPanel(const HaplotypePanel& panel, const std::vector<uint32_t>& typed,
                                         const GeneticMap& map, const CopyingOptions& options) {
  if (panel.num_haplotypes() == 0 || typed.empty()) return std::nullopt;
  return TypedPanel(panel, typed, map, options.min_frequency == 0 ? AlleleStorage::kRows : AlleleStorage::kDistinct);
}

}  // namespace

std::vector<uint32_t> FrequentAmong(const HaplotypePanel& panel, const std::vector<uint32_t>& markers,
                                    float min_frequency) {
  std::vector<uint32_t> all, frequent;
  for (uint32_t j = 0; j < markers.size(); ++j) {
    const float alt = AltFrequency(panel, markers[j]);
    all.push_back(j);
    if (std::min(alt, 1 - alt) >= min_frequency) frequent.push_back(j);
  }
  return frequent.size() < 2 ? all : frequent;
}

PanelWindow::PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed,
                         MarkerRange wanted)
    : PanelWindow(panel, map, std::move(typed), wanted, CopyingOptions().ForPanel(panel.num_haplotypes())) {}

PanelWindow::PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed,
                         MarkerRange wanted, const CopyingOptions& options)
    : panel_(panel),
      map_(map),
      typed_(std::move(typed)),
      wanted_(wanted),
      options_(options),
      typed_panel_(MakeTypedPanel(panel, typed_, map, options)) {}

PanelWindow::PanelWindow(const PanelWindow& window, const GeneticMap& map, MarkerRange wanted)
    : panel_(window.panel_),
      map_(map),
      typed_(window.typed_),
      wanted_(wanted),
      options_(window.options_),
      typed_panel_(TypedPanel(window.typed_panel(), panel_, map)) {}

const TypedPanel& PanelWindow::typed_panel() const {
  HS_ASSERT(typed_panel_.has_value());
  return *typed_panel_;
}

}  // namespace haplospin
