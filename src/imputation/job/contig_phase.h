// The phase of the study's genotypes along a contig, as it becomes known window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "haplospin/study_genotypes.h"
#include "imputation/job/recent_phase_sets.h"
#include "imputation/job/transmission.h"
#include "imputation/window/window_dosages.h"

namespace haplospin {

// A phase set keeps its phase across windows: once the order of one of its genotypes is known, that of the others is,
// and they are phased in no set. The first set of a sample is so from the beginning.
class ContigPhase {
 public:
  // `families` may be null, and must outlive this.
  ContigPhase(size_t samples, TransmissionPhaser* families) : families_(families), read_(samples) {}

  // Marker `s` of the study was read, after those before it. Phases what families decide.
  void Read(StudyGenotypes& study, size_t s);

  // Puts the alleles of genotypes that are not phased, or in sets, in the order of the dosages, which are 0 or 1 there.
  // `panel_marker` is that of each study marker. Up to position `last`, genotypes of sets whose order is still not
  // known are not phased then: their markers are not in the panel.
  void Set(const WindowDosages& dosages, std::span<const uint32_t> panel_marker, int64_t last, StudyGenotypes& study);

  // Genotypes of sets that are interrupted by others, and the first of them: "sample NAME at CONTIG:POSITION".
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
