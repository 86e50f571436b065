// The phase of the study's genotypes along a contig, as it becomes known window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "genotypes/imputation/contig/contig_marker.h"
#include "genotypes/imputation/models/pedigree/transmission.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// A phase set keeps its phase across windows. Once the order of one of its genotypes is known, all of them are phased,
// and in no set. The order of a sample's first set is as given.
class ContigPhase {
 public:
  // `families` may be null, and must outlive the object.
  ContigPhase(size_t samples, TransmissionPhaser* families) : families_(families), read_(samples) {}

  // Must be called for each marker `s` of the study after it was read. Phases the genotypes that families decide, and
  // those in sets whose order is known.
  void Read(StudyGenotypes& study, size_t s);

  // Puts genotypes that are unphased, or in phase sets, in the order of the dosages, which are 0 or 1 there.
  // `column` has the marker of the dosages for each study marker, or kNotInPanel. At markers up to position `last` that
  // have none, genotypes in sets of unknown order become unphased.
  void Learn(const WindowDosages& dosages, std::span<const uint32_t> column, int64_t last, const SampleTable& samples,
             std::deque<ContigMarker>& markers);

  // Must be called for each study marker that is panel marker `m`, once its alleles are those of the panel.
  void ComparePanel(const SampleTable& samples, const std::string& contig, const GenotypeRow& row,
                    const HaplotypePanel& panel, uint32_t m) {
    if (families_ != nullptr) families_->panel_parents().Compare(samples, contig, row, panel, m);
  }

  // The families of the study, or null.
  const TransmissionPhaser* families() const { return families_; }

  // The number of genotypes in sets that another set interrupts, and the first: "sample NAME at CONTIG:POSITION".
  size_t num_interrupted() const { return num_interrupted_; }
  const std::string& first_interrupted() const { return first_interrupted_; }

 private:
  TransmissionPhaser* families_;
  RecentPhaseSets read_;
  bool has_sets_ = false;
  size_t num_interrupted_ = 0;
  std::string first_interrupted_;
};

}  // namespace haplospin
