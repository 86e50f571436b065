// The part of a contig that is in memory: panel, study, and which study markers are which panel markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sites/genotype_signs.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/checks/panel_overlap.h"
#include "genotypes/imputation/contig/contig_marker.h"
#include "genotypes/imputation/contig/contig_phase.h"
#include "genotypes/imputation/window/window_study.h"
#include "genotypes/variant_io/reading/marker_source.h"

namespace haplospin {

// Slides along a contig: ReadUntil() appends markers, DropBefore() removes them. A typed site is a study marker that is
// in the panel. Common panel markers at typed sites are stored as bits; others as distinct haplotypes, which take less
// memory.
class ContigBuffer {
 public:
  // The sources must be at the contig's first record, and outlive the buffer, as `families`, which may be null.
  ContigBuffer(PanelMarkerSource& panel_source, StudyMarkerSource& study_source,
               TransmissionPhaser* families = nullptr);

  const HaplotypePanel& panel() const { return panel_; }
  const std::string& study_contig() const { return piece_.contig; }     // its name in the study
  const SampleTable& samples() const { return piece_.samples; }         // of the study
  const std::deque<ContigMarker>& markers() const { return markers_; }  // of the study; DropBefore() changes indices
  const AlignmentCounts& alignment() const { return counts_; }          // counts since the contig's start
  const PanelOverlap& overlap() const { return overlap_; }
  const GenotypeSigns& signs() const { return signs_; }  // of the typed sites

  // Reads study and panel up to a position, bp.
  void ReadUntil(int64_t position);
  bool panel_ended() const { return panel_ended_; }

  // The position up to which markers were read, bp; INT64_MAX once study and panel have ended.
  int64_t read_until() const { return panel_ended_ && study_ended_ ? INT64_MAX : read_until_; }

  // The position of the next study marker, bp, if there is one.
  std::optional<int64_t> NextOfStudy() { return study_ended_ ? std::nullopt : study_source_.NextPosition(); }

  // Goes to the first records at or after a position, beyond what was read.
  void Seek(int64_t position);

  // Removes the markers before a position, bp.
  void DropBefore(int64_t position);

  // The index of the first study marker at or after a position, bp, or their number.
  size_t FirstStudyMarker(int64_t position) const;

  // The panel markers from `first` to `last`, bp, both included.
  MarkerRange Markers(int64_t first, int64_t last) const;

  // [study markers] the panel marker of each, as ContigMarker has it.
  std::vector<uint32_t> PanelMarkers() const;

  size_t NumTyped() const;
  size_t NumTyped(int64_t first, int64_t last) const;

  // Returns the position of the `count`-th last typed site before `position`, of the first one if there are fewer, or
  // `position` if there is none.
  int64_t PositionOfTypedBefore(int64_t position, size_t count) const;

  // Returns the typed sites up to `last`, bp, and further ones until there are `min_typed`. Sites from `phased_from` to
  // `phased_until`, bp, have been phased. The result has pointers into the buffer.
  WindowStudy Typed(int64_t last, size_t min_typed, int64_t phased_from, int64_t phased_until,
                    WindowStudy::Progress on_progress = {}) const;

  // Returns a study with all panel markers up to `last`, bp: all alleles of those that are not typed are missing. The
  // result has pointers into the buffer.
  WindowStudy WithUntyped(const WindowStudy& study, int64_t last) const {
    return study.WithUntyped(Markers(0, last), untyped_);
  }

  // Takes the phase up to `last`, bp, from dosages, as ContigPhase::Learn().
  void LearnPhase(const WindowDosages& dosages, int64_t last) { LearnPhase(dosages, PanelMarkers(), last); }
  void LearnPhase(const WindowDosages& dosages, std::span<const uint32_t> column, int64_t last) {
    phase_.Learn(dosages, column, last, piece_.samples, markers_);
  }
  const ContigPhase& phase() const { return phase_; }

 private:
  void ReadPiece(int64_t position);
  void GroupHaplotypes(bool is_last);
  void NoteOverlap(const ContigMarker& marker);
  PanelMarkerSource& panel_source_;
  StudyMarkerSource& study_source_;
  MutablePanel panel_;
  StudyGenotypes piece_;  // contig and samples, and the markers that are being read
  std::deque<ContigMarker> markers_;
  const GenotypeRow untyped_;  // the genotypes of a marker that the study does not have
  ContigPhase phase_;
  bool panel_ended_ = false, study_ended_ = false;
  int64_t read_until_ = 0;
  AlignmentCounts counts_;
  PanelOverlap overlap_;
  GenotypeSigns signs_;
};

}  // namespace haplospin
