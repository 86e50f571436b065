// The panel of a window beside the typed markers of a study, whoever is imputed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "genotypes/imputation/window/marker_range.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The share of the panel's haplotypes that have ALT.
inline float AltFrequency(const HaplotypePanel& panel, size_t marker) {
  return static_cast<float>(panel.alt_count(marker)) / static_cast<float>(panel.num_haplotypes());
}

// Returns which of some markers of the panel have a less frequent allele of at least `min_frequency`, ascending
// indices; all if fewer than two have.
std::vector<uint32_t> FrequentAmong(const HaplotypePanel& panel, const std::vector<uint32_t>& markers,
                                    float min_frequency);

// It does not change once it is made, so several threads may use it. References that a getter returns are valid as long
// as the window.
class PanelWindow {
 public:
  // `typed`: the panel markers that the study has, ascending. `wanted`: the panel markers to impute. The panel and the
  // map must outlive the window.
  PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed, MarkerRange wanted);

  // The options are others than those for a panel of this size.
  PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed, MarkerRange wanted,
              const CopyingOptions& options);

  // Shares the alleles of another window, and has the distances of `map`, which must outlive it, and other wanted
  // markers.
  PanelWindow(const PanelWindow& window, const GeneticMap& map, MarkerRange wanted);

  PanelWindow(const PanelWindow&) = delete;
  PanelWindow& operator=(const PanelWindow&) = delete;

  const HaplotypePanel& panel() const { return panel_; }
  const GeneticMap& map() const { return map_; }
  const std::vector<uint32_t>& typed_markers() const { return typed_; }
  MarkerRange wanted() const { return wanted_; }
  const CopyingOptions& options() const { return options_; }

  // Returns the alleles of the panel's haplotypes at the typed markers, of which there must be some of both. Where rare
  // markers take no part in the estimate (CopyingOptions::min_frequency), nor do they in matches: the alleles are kept
  // as distinct haplotypes.
  const TypedPanel& typed_panel() const;

 private:
  const HaplotypePanel& panel_;
  const GeneticMap& map_;
  const std::vector<uint32_t> typed_;
  const MarkerRange wanted_;
  const CopyingOptions options_;
  const std::optional<TypedPanel> typed_panel_;
};

}  // namespace haplospin
