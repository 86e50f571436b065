// What the imputer's network is told about a window's panel as a whole: how far its haplotypes are shared, compared
// with genetic distance and with the array, how clean it is, and its size. A large panel of humans, a few animals of
// one breed and inbred lines need different weights; with these features one network has them.
#pragma once

#include <array>
#include <cstddef>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// Logarithms to base 10, relative to values of human panels.
namespace panel_feature {
enum Row : size_t {
  kLogSwitches,        // per Morgan
  kLogSwitchesPerGap,  // between adjacent typed markers
  kLogMismatchRate,
  kLogHaplotypes,
  kCount
};
}  // namespace panel_feature
inline constexpr size_t kNumPanelFeatures = panel_feature::kCount;

using PanelFeatures = std::array<float, kNumPanelFeatures>;

// From the haplotypes of the panel that EstimatePanelCopying() left out. Zeros if there were none.
PanelFeatures ComputePanelFeatures(const TypedPanel& array, const PanelCopying& copying);

}  // namespace haplospin
