// The panel of a window: all that is known of it, whoever is imputed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "genotypes/imputation/copying/copying_model.h"
#include "genotypes/imputation/copying/copying_states.h"
#include "genotypes/imputation/copying/panel_populations.h"
#include "genotypes/imputation/copying/typed_panel.h"
#include "genotypes/imputation/network/allele_features.h"
#include "genotypes/imputation/network/marker_regression.h"
#include "genotypes/imputation/network/window_alleles.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The share of the panel's haplotypes that have ALT.
inline float AltFrequency(const HaplotypePanel& panel, size_t marker) {
  return static_cast<float>(panel.alt_count(marker)) / static_cast<float>(panel.num_haplotypes());
}

// Computes each part when it is first asked for, on all threads, and keeps it; the parts do not depend on the number of
// threads. Several threads may use the window once ComputeAll() has been called. References that a getter returns are
// valid as long as the window.
class PanelWindow {
 public:
  // `typed`: the panel markers that the study has, ascending. `wanted`: the panel markers to impute. The panel and the
  // map must outlive the window. A panel without haplotypes has none of the parts below.
  PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed, MarkerRange wanted);

  // The same with other options than those for a panel of this size.
  PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed, MarkerRange wanted,
              const CopyingOptions& options);

  PanelWindow(const PanelWindow&) = delete;
  PanelWindow& operator=(const PanelWindow&) = delete;

  const HaplotypePanel& panel() const { return panel_; }
  const GeneticMap& map() const { return map_; }
  const std::vector<uint32_t>& typed_markers() const { return typed_; }
  MarkerRange wanted() const { return wanted_; }
  const CopyingOptions& options() const { return options_; }
  bool HasHaplotypes() const { return panel_.num_haplotypes() > 0; }

  // Returns the alleles of the panel's haplotypes at the typed markers.
  const TypedPanel& typed_panel() const;

  // Returns how the panel's haplotypes copy each other, estimated from panel_sample().
  const PanelCopying& copying() const;

  // Returns the haplotypes of the panel that copying() is estimated from.
  const PanelSample& panel_sample() const;

  // Estimates copying() from a search for matches that was made for other targets as well: the first targets of
  // `selection` must be the haplotypes of panel_sample(). Otherwise copying() makes a search of its own.
  void EstimateCopying(const StateSelection& selection);

  // Takes on copying() and populations() that were estimated before.
  void SetEstimates(PanelCopying copying, std::shared_ptr<const PanelPopulations> populations);
  bool HasCopying() const { return copying_.has_value(); }

  // Returns the populations of the panel's samples.
  const PanelPopulations& populations() const;

  // Returns the alleles of the panel's haplotypes at the markers to impute.
  const WindowAlleles& alleles() const;

  // Returns the regression of the markers to impute on the typed markers.
  const WindowRegression& regression() const;

  // Returns the network's features of each marker to impute, from wanted().begin on.
  const std::vector<MarkerFeatures>& marker_features() const;

  // Computes all parts that are still missing.
  void ComputeAll() const;

 private:
  const HaplotypePanel& panel_;
  const GeneticMap& map_;
  const std::vector<uint32_t> typed_;
  const MarkerRange wanted_;
  const CopyingOptions options_;
  mutable std::optional<TypedPanel> typed_panel_;
  mutable std::optional<PanelSample> panel_sample_;
  mutable std::optional<PanelCopying> copying_;
  mutable std::shared_ptr<const PanelPopulations> populations_;
  mutable std::optional<WindowAlleles> alleles_;
  mutable std::optional<WindowRegression> regression_;
  mutable std::optional<std::vector<MarkerFeatures>> marker_features_;
};

}  // namespace haplospin
