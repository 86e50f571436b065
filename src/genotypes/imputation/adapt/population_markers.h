// The markers that tell the populations of a panel, of a contig that is read a part at a time.
#pragma once

#include <cstddef>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/models/copying/panel_populations.h"
#include "genotypes/imputation/window/marker_range.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Keeps PanelPopulations::kMaxMarkers of them at most, evenly spaced: all, then every second, every fourth, and so on.
class PopulationMarkers {
 public:
  // Of a contig of `panel`.
  explicit PopulationMarkers(const HaplotypePanel& panel) : kept_(panel.contig(), panel.samples()) {}

  // Adds markers that follow those added before.
  void Add(const HaplotypePanel& panel, MarkerRange markers);

  // The markers that are kept.
  const HaplotypePanel& panel() const { return kept_; }

 private:
  void Append(const HaplotypePanel& panel, size_t marker);
  void KeepEverySecond();

  MutablePanel kept_;
  size_t step_ = 1;
  size_t num_seen_ = 0;
};

}  // namespace haplospin
