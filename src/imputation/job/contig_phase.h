// The phase of the study's genotypes along a contig, as it becomes known window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/job/recent_phase_sets.h"
#include "imputation/job/transmission.h"
#include "imputation/window/window_dosages.h"
#include "imputation/window/window_study.h"

namespace haplospin {

// Keeps the genotypes whose order was found beside the study, which stays as it was read.
//
// A phase set keeps its phase across windows: once the order of one of its genotypes is known, that of the others is,
// and they are phased in no set. The first set of a sample is so from the beginning.
class ContigPhase {
 public:
  // `families` may be null, and must outlive the object.
  ContigPhase(size_t samples, TransmissionPhaser* families) : families_(families), read_(samples) {}

  // Takes note of marker `s`, the next one of the study in memory. Phases in the study what families decide, and sets
  // whose order is known.
  void Read(StudyGenotypes& study, size_t s);

  // Puts the alleles of genotypes that are not phased, or in sets, in the order of the dosages, which are 0 or 1 there.
  // `panel_marker` is that of each study marker. Up to position `last`, genotypes of sets whose order is still not
  // known count as unphased from then on: their markers are not in the panel.
  void Learn(const WindowDosages& dosages, std::span<const uint32_t> panel_marker, int64_t last,
             const StudyGenotypes& study);

  // Returns the genotypes of study marker s, in the order that was found.
  StudyRow Row(const StudyGenotypes& study, size_t s) const;

  // Forgets the first markers in memory.
  void DropFirst(size_t markers);

  // Genotypes of sets that are interrupted by others, and the first of them: "sample NAME at CONTIG:POSITION".
  size_t num_interrupted() const { return num_interrupted_; }
  const std::string& first_interrupted() const { return first_interrupted_; }

 private:
  struct FoundRow {
    std::vector<uint8_t> alleles;
    std::vector<uint8_t> unphased;
    std::vector<uint32_t> phase_sets;
  };

  FoundRow& RowToChange(const StudyGenotypes& study, size_t s);

  std::vector<std::unique_ptr<FoundRow>> found_;  // [study markers in memory] null: as the study has it
  TransmissionPhaser* families_;
  RecentPhaseSets read_;
  bool has_sets_ = false;
  size_t num_interrupted_ = 0;
  std::string first_interrupted_;
};

}  // namespace haplospin
