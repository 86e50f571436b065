// Simulated haplotypes: mosaics of a few founders, as in the Li-Stephens model, with rare variants that haplotypes of
// the same founder may share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "genotypes/imputation/window/window_study.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

struct MosaicOptions {
  size_t haplotypes = 120;
  size_t markers = 400;
  size_t founders = 10;
  int64_t spacing_bp = 5000;      // 1 cM per Mb: 0.005 cM
  double switches_per_cm = 2;     // switches to another founder
  double rare_share = 0.5;        // share of markers with one to five carriers
  double mutation_rate = 0.001;   // share of alleles that differ from the founder's
  std::optional<size_t> hotspot;  // marker before which every second haplotype switches
  uint64_t seed = 1;
};

// Haplotypes on contig 20. Every marker has both alleles if there are two haplotypes or more.
struct Mosaic {
  std::vector<Marker> markers;
  std::vector<std::vector<uint8_t>> alleles;  // [haplotypes][markers]
};

Mosaic SimulateMosaic(const MosaicOptions& options);

// Samples of the given ploidies named PREFIX0, PREFIX1, ...
SampleTable MakeSamples(const std::string& prefix, std::span<const int> ploidies);
SampleTable DiploidSamples(const std::string& prefix, size_t count);

// A panel of the haplotypes from `first` on, as many as the samples have.
HaplotypePanel MakePanel(const Mosaic& mosaic, SampleTable samples, size_t first = 0);

// Every `step`-th marker with at least a tenth of the haplotypes on either side.
std::vector<uint32_t> CommonMarkers(const HaplotypePanel& panel, size_t step);

// A study of whole haplotypes, typed at the typed markers.
struct SimulatedStudy {
  SimulatedStudy(SampleTable sample_table, std::vector<uint32_t> typed_markers,
                 std::span<const std::vector<uint8_t>> haplotypes);

  WindowStudy View(WindowStudy::Progress on_progress = {}) const;

  SampleTable samples;
  std::vector<uint32_t> typed;
  std::vector<GenotypeRow> rows;  // [typed]
};

}  // namespace haplospin
