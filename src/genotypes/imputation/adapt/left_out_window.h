// The samples of a panel imputed from its other samples in a window, and what that tells of its markers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "genotypes/genomics/sample_subset.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "genotypes/imputation/window/marker_range.h"
#include "genotypes/variant_io/panel_file/panel_adaptation.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

inline constexpr size_t kMaxLeftOut = 2500;  // samples that are imputed

// The samples of a contig: who is imputed from whom.
class Folds {
 public:
  explicit Folds(const SampleTable& samples);

  static constexpr size_t kCount = 10;

  const SampleSubset& left_out(size_t fold) const { return left_out_[fold]; }
  const SampleSubset& others(size_t fold) const { return others_[fold]; }

  // The left-out haplotypes of all folds, one fold after the other, as indices in the panel.
  const std::vector<uint32_t>& haplotypes() const { return haplotypes_; }

 private:
  std::vector<SampleSubset> left_out_, others_;
  std::vector<uint32_t> haplotypes_;
};

class LeftOutWindow {
 public:
  // Imputes the markers of `core` fold by fold. All arguments must outlive the window.
  LeftOutWindow(const HaplotypePanel& panel, const GeneticMap& map, const Folds& folds,
                const std::vector<uint32_t>& typed, MarkerRange core, const WindowPlan& plan);

  // What is known of a marker.
  struct Result {
    std::optional<double> r2;
    std::optional<ErrorFunction> error;
  };

  // Returns that of each marker of a piece of the core.
  std::vector<Result> Measure(MarkerRange piece) const;

 private:
  std::vector<float> Alleles(size_t marker) const;
  std::vector<float> Probabilities(MarkerRange piece) const;
  std::array<std::vector<float>, kErrorSites> SitesAround(size_t interval) const;

  const HaplotypePanel& panel_;
  const std::vector<uint32_t>& haplotypes_;
  const std::vector<uint32_t>& typed_;
  const MarkerRange core_;
  std::vector<WindowDosages> found_;  // [folds]
};

}  // namespace haplospin
