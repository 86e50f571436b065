// The data of a window that all targets share, as tensors on a device. Alleles are bits of bytes, in the order of
// HaplotypeRows.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "imputation/window/panel_window.h"

namespace haplospin {

// Returns the bits of [..., bytes] as booleans: [..., 8 * bytes].
inline torch::Tensor UnpackBits(const torch::Tensor& bytes) {
  const torch::Tensor shifts = torch::arange(8, bytes.options());
  return bytes.unsqueeze(-1).bitwise_right_shift(shifts).bitwise_and(1).to(torch::kBool).flatten(-2);
}

// N reference haplotypes of P samples, J typed markers, J + 1 intervals, A of them anchors, M markers to impute.
struct WindowTensors {
  WindowTensors(const PanelWindow& window, torch::Device device);

  int64_t num_haplotypes, num_typed, num_markers, num_samples;

  torch::Tensor rows;               // [N, bytes] alleles at the typed markers, as bits
  torch::Tensor sample_of;          // [N] int64
  torch::Tensor population_shares;  // [P, populations]
  torch::Tensor minor;              // [M, bytes] haplotypes with the minor allele, as bits
  torch::Tensor panel_features;     // [1, kNumPanelFeatures]

  // Anchors, each of which belongs to a block of the window (imputation/copying/ancestry.h).
  torch::Tensor centimorgans;  // [J + 2] positions of the typed markers and the ends of the window, cM
  torch::Tensor anchors;       // [A] int64, intervals
  torch::Tensor middle;        // [A] position of the middle of an anchor, cM
  torch::Tensor length;        // [A] cM that an anchor stands for
  torch::Tensor block;         // [A] int64
  int64_t num_blocks;

  // Markers to impute.
  torch::Tensor anchor_of;        // [M] int64, index of an anchor
  torch::Tensor typed_index;      // [M] int64, -1 where a marker is not typed
  torch::Tensor marker_features;  // [M, kNumMarkerFeatures]; the column kRegression is to be filled

  // The regression of markers to impute on typed markers.
  torch::Tensor fit;           // [M] int64, the row of a marker, or -1
  torch::Tensor intercept;     // [fits]
  torch::Tensor first_typed;   // [fits] int64
  torch::Tensor coefficients;  // [fits, typed of a fit]

 private:
  void SetPositions(const TypedPanel& panel, const WindowAlleles& alleles, torch::Device device);
  void SetMarkers(const PanelWindow& window, torch::Device device);
  void SetRegression(const WindowRegression& regression, torch::Device device);
};

}  // namespace haplospin
