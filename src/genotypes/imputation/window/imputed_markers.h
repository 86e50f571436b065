// What the network needs to know of the markers to impute in a window.
#pragma once

#include <vector>

#include "genotypes/imputation/models/network/allele_features.h"
#include "genotypes/imputation/models/network/marker_regression.h"
#include "genotypes/imputation/models/network/window_alleles.h"
#include "genotypes/imputation/window/panel_window.h"

namespace haplospin {

struct ImputedMarkers {
  // Computes all parts, on all threads; they do not depend on their number. The window's panel must outlive them.
  explicit ImputedMarkers(const PanelWindow& window);

  const WindowAlleles alleles;                 // of the panel's haplotypes
  const WindowRegression regression;           // on the typed markers
  const std::vector<MarkerFeatures> features;  // [markers to impute]
};

}  // namespace haplospin
