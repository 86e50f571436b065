// What all targets of a window share, as tensors on a device.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "imputation/window/panel_window.h"

namespace haplospin {

// N reference haplotypes of P samples, J typed markers, J + 1 intervals, A of them anchors, M markers to impute.
struct WindowTensors {
  WindowTensors(const PanelWindow& window, torch::Device device);

  int64_t num_haplotypes, num_typed, num_markers, num_samples;

  // Panel.
  torch::Tensor rows;               // [N, bytes] alleles at the typed markers, as bits
  torch::Tensor sample_of;          // [N] int64
  torch::Tensor population_shares;  // [P, populations]
  torch::Tensor minor;              // [M, bytes] haplotypes with the minor allele, as bits
  torch::Tensor panel_features;     // [1, kNumPanelFeatures]

  // Positions. An anchor belongs to a block of the window (ancestry.h).
  torch::Tensor centimorgans;  // [J + 2]
  torch::Tensor anchors;       // [A] int64, intervals
  torch::Tensor middle;        // [A] cM
  torch::Tensor length;        // [A] cM that an anchor stands for
  torch::Tensor block;         // [A] int64
  int64_t num_blocks;

  // Markers.
  torch::Tensor anchor_of;        // [M] int64, index of an anchor
  torch::Tensor typed_index;      // [M] int64, -1 where a marker is not typed
  torch::Tensor marker_features;  // [M, kNumMarkerFeatures]; the column kRegression is to be filled

  // Regression.
  torch::Tensor fit;           // [M] int64, the row of a marker, or -1
  torch::Tensor intercept;     // [fits]
  torch::Tensor first_typed;   // [fits] int64
  torch::Tensor coefficients;  // [fits, typed of a fit]

 private:
  void SetPositions(const TypedPanel& array, const WindowAlleles& alleles, torch::Device device);
  void SetMarkers(const PanelWindow& window, torch::Device device);
  void SetRegression(const WindowRegression& regression, torch::Device device);
};

}  // namespace haplospin
