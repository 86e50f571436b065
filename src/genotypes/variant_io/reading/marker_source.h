// The markers of a contig in order, from a file or from memory: what a run over a contig reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/panel_file/panel_adaptation.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// The content of a part of a panel.
struct PanelContent {
  size_t haplotypes = 0;
  size_t markers = 0;
  size_t common = 0;         // markers that are not rare
  size_t carriers = 0;       // sum over the rare markers
  size_t largest_block = 0;  // bytes of memory while it is read
};

// The markers of a reference panel.
class PanelMarkerSource {
 public:
  virtual ~PanelMarkerSource() = default;

  virtual const std::vector<std::string>& sample_names() const = 0;

  // The position of the next unread marker, bp, or nothing at the end.
  virtual std::optional<int64_t> NextPosition() = 0;

  // The last position of that marker's contig, bp, if it is known without reading the contig.
  virtual std::optional<int64_t> LastPosition() { return std::nullopt; }

  // Returns what the next marker's contig holds from `first` to `last`, bp, and perhaps a little beyond, if it is known
  // without reading the contig.
  virtual std::optional<PanelContent> Content(int64_t /*first*/, int64_t /*last*/) const { return std::nullopt; }

  // Returns what is known of the array that the panel is adapted to (`panel adapt`) and the next marker's contig, or
  // the part of it that the marker is in; nothing if only some of the samples are read.
  virtual std::optional<PanelAdaptation> Adaptation() const { return std::nullopt; }

  // An empty panel for the next contig; ploidy is taken from its first marker. Throws InputError at the end.
  virtual MutablePanel StartContig() = 0;

  // Appends the markers of the panel's contig up to and including `position` (bp). Returns false once the contig has no
  // further marker.
  virtual bool ReadUntil(int64_t position, MutablePanel& panel) = 0;

  // Moves to the next marker of the region's contig at or after its begin. The source appears to end at the end of the
  // region. Throws InputError if the region has no marker.
  virtual void Seek(const Region& region) = 0;
};

// The typed markers of a study; see PanelMarkerSource.
class StudyMarkerSource {
 public:
  virtual ~StudyMarkerSource() = default;

  virtual std::optional<int64_t> NextPosition() = 0;
  virtual StudyGenotypes StartContig() = 0;
  virtual bool ReadUntil(int64_t position, StudyGenotypes& study) = 0;
  virtual void Seek(const Region& region) = 0;
};

}  // namespace haplospin
