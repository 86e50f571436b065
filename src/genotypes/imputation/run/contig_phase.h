// The phase of the study's genotypes along a contig, as it becomes known window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "genotypes/imputation/families/transmission.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_study.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// Keeps the genotypes whose order was found in rows of their own; the study stays as it was read.
//
// A phase set keeps its phase across windows. Once the order of one of its genotypes is known, all of them are phased,
// and in no set. The order of a sample's first set is as given.
class ContigPhase {
 public:
  // `families` may be null, and must outlive the object.
  ContigPhase(size_t samples, TransmissionPhaser* families) : families_(families), read_(samples) {}

  // Must be called for each marker `s` of the study after it was read. Phases the genotypes that families decide, and
  // those in sets whose order is known, in the study itself.
  void Read(StudyGenotypes& study, size_t s);

  // Puts genotypes that are unphased, or in phase sets, in the order of the dosages, which are 0 or 1 there.
  // `panel_marker` has the panel marker of each study marker. At markers up to position `last` that are not in the
  // panel, genotypes in sets of unknown order become unphased.
  void Learn(const WindowDosages& dosages, std::span<const uint32_t> panel_marker, int64_t last,
             const StudyGenotypes& study);

  // Returns the genotypes of study marker s, in the order that was found.
  StudyRow Row(const StudyGenotypes& study, size_t s) const;

  // Forgets the first markers in memory.
  void DropFirst(size_t markers);

  // The families of the study, or null.
  const TransmissionPhaser* families() const { return families_; }

  // The number of genotypes in sets that another set interrupts, and the first: "sample NAME at CONTIG:POSITION".
  size_t num_interrupted() const { return num_interrupted_; }
  const std::string& first_interrupted() const { return first_interrupted_; }

 private:
  struct FoundRow {
    std::vector<uint8_t> alleles;
    std::vector<uint8_t> unphased;
    std::vector<uint32_t> phase_sets;
  };

  FoundRow& RowToChange(const StudyGenotypes& study, size_t s);

  std::vector<std::unique_ptr<FoundRow>> found_;  // [study markers in memory] null where the study is unchanged
  TransmissionPhaser* families_;
  RecentPhaseSets read_;
  bool has_sets_ = false;
  size_t num_interrupted_ = 0;
  std::string first_interrupted_;
};

}  // namespace haplospin
