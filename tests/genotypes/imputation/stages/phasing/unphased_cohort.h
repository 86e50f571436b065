// A simulated study without a panel, whose phase is removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"
#include "haplospin/genetic_map.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

class UnphasedCohort {
 public:
  UnphasedCohort(size_t samples, const MosaicOptions& options)
      : mosaic_(SimulateMosaic(options)),
        study_(DiploidSamples("S", samples), AllMarkers(options.markers), mosaic_.alleles),
        truth_(Alleles(study_)) {
    for (size_t j = 0; j < study_.typed.size(); ++j) {
      sites_.Append(mosaic_.markers[j], nullptr);
      std::vector<uint8_t>& unphased = study_.rows[j].unphased;
      unphased.resize(samples);
      for (size_t s = 0; s < samples; ++s) {
        uint8_t* alleles = &study_.rows[j].alleles[2 * s];
        unphased[s] = alleles[0] != alleles[1] ? 1 : 0;
        std::sort(alleles, alleles + 2);
      }
    }
    view_.emplace(study_.View());
    window_.emplace(sites_, map_, study_.typed, MarkerRange());
  }

  const WindowStudy& study() const { return *view_; }
  const PanelWindow& window() const { return *window_; }

  // Removes a genotype of a sample.
  void SetMissing(size_t j, size_t s) {
    study_.rows[j].alleles[2 * s] = study_.rows[j].alleles[2 * s + 1] = kMissingAllele;
    study_.rows[j].unphased[s] = 0;
  }

  // Gives the likelihoods of all samples at a marker.
  void SetLikelihoods(size_t j, std::vector<GenotypeLikelihoods> row) {
    study_.rows[j].likelihoods = std::move(row);
    view_.emplace(study_.View());
  }

  // The allele of a haplotype before the phase was removed.
  uint8_t Truth(size_t j, size_t haplotype) const { return truth_[j][haplotype]; }

  std::vector<size_t> Everyone() const {
    std::vector<size_t> index(study_.samples.num_samples());
    std::iota(index.begin(), index.end(), 0);
    return index;
  }

 private:
  static std::vector<uint32_t> AllMarkers(size_t count) {
    std::vector<uint32_t> markers(count);
    std::iota(markers.begin(), markers.end(), 0);
    return markers;
  }

  const GeneticMap map_ = GeneticMap::Uniform();
  const Mosaic mosaic_;
  SimulatedStudy study_;
  const std::vector<std::vector<uint8_t>> truth_;
  MutablePanel sites_{"20", SampleTable::Diploid({})};
  std::optional<WindowStudy> view_;
  std::optional<PanelWindow> window_;
};

}  // namespace haplospin
