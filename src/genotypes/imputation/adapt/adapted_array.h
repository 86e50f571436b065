// An array that the panel of a contig is adapted to (`panel adapt`), beside the study that is imputed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/copying/panel_populations.h"
#include "genotypes/imputation/window/array_window.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/variant_io/panel_file/panel_adaptation.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The typed sites of a study and those of an array, in the cores of the windows.
struct ArrayAgreement {
  size_t array_sites = 0;
  size_t study_sites = 0;
  size_t shared_sites = 0;
  size_t markers = 0;  // markers to impute in the windows that were compared
  size_t adapted = 0;  // of these, those of windows where the study agrees with the array

  ArrayAgreement& operator+=(const ArrayAgreement& other) {
    array_sites += other.array_sites;
    study_sites += other.study_sites;
    shared_sites += other.shared_sites;
    markers += other.markers;
    adapted += other.adapted;
    return *this;
  }
};

class AdaptedArray {
 public:
  // The share of the array's sites that the study must have in a window, and the share of the study's sites that must
  // be of the array.
  static constexpr double kMinOfArray = 0.75, kMinOfStudy = 0.9;

  AdaptedArray(const SampleTable& samples, PanelAdaptation adaptation);

  // Returns what is known of the markers of `wanted`, or nothing if the study, with the panel markers `typed`, is of
  // another array at those of `core`, which has all of `wanted`. `panel` is a part of the contig; it begins and ends
  // between positions.
  std::optional<ArrayWindow> Find(const HaplotypePanel& panel, const std::vector<uint32_t>& typed, MarkerRange core,
                                  MarkerRange wanted);

  // Returns how the panel's haplotypes copy each other at the typed markers of a window, and the populations of the
  // file. A switch between two sites of the array is as likely at any place.
  PanelEstimates Estimates(const PanelWindow& window) const;

  // The sums over the windows.
  const ArrayAgreement& agreement() const { return agreement_; }

 private:
  double SwitchesBefore(int64_t position) const;

  const PanelAdaptation adaptation_;
  const std::shared_ptr<const PanelPopulations> populations_;
  std::vector<int64_t> sites_;    // [array sites] bp
  std::vector<double> switches_;  // [array sites] expected switches of a haplotype from the first site on
  ArrayAgreement agreement_;
};

}  // namespace haplospin
