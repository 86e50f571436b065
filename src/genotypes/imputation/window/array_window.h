// What a panel that is adapted to an array (`panel adapt`) tells of the markers of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/imputation/window/marker_range.h"
#include "genotypes/imputation/window/window_study.h"
#include "genotypes/variant_io/panel_file/panel_adaptation.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

struct ArrayWindow {
  size_t first = 0;                                 // panel marker of the first entry of the next three
  std::vector<std::optional<float>> r2;             // [markers] r2 of the panel's own samples
  std::vector<std::optional<ErrorFunction>> error;  // [markers]
  std::vector<uint32_t> sites_before;               // [markers] entries of `sites` before the marker

  // The array's sites in and around the window: panel markers, or kAbsent where the study does not have the site.
  std::vector<uint32_t> sites;
  static constexpr uint32_t kAbsent = UINT32_MAX;

  // Adds the expected errors to the ALT probabilities of some panel markers, alt: [markers, haplotypes]. `study` has
  // the sites that are not absent.
  void Correct(const HaplotypePanel& panel, MarkerRange markers, const WindowStudy& study, std::span<float> alt) const;
};

}  // namespace haplospin
