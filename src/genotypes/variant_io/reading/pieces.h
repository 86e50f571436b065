// A contig read piece by piece, so that memory holds a piece of it at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "genotypes/genomics/mutable_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

inline constexpr int64_t kPieceLength = int64_t{1} << 17;  // bp

// Returns the end of a piece that begins at the next record, if the contig is read until `position`.
inline int64_t EndOfPiece(std::optional<int64_t> next, int64_t position) {
  return next && *next < position - kPieceLength ? *next + kPieceLength : position;
}

// Reads the rest of the contig of `genotypes`, which `reader` (a PanelReader or StudyReader) has just started. Calls
// visit(end, is_last) after each piece, which ends at a multiple of `length` (bp); stretches without records are
// skipped. What has been read stays in `genotypes` until `visit` drops it.
template <typename Reader, typename Genotypes, typename Visit>
void ForEachPiece(Reader& reader, Genotypes& genotypes, int64_t length, Visit visit) {
  for (bool has_more = true; has_more;) {
    const int64_t next = reader.NextPosition().value_or(0);
    const int64_t end = next > INT64_MAX - length ? INT64_MAX : (next + length - 1) / length * length;
    has_more = reader.ReadUntil(end, genotypes);
    visit(end, !has_more);
  }
}

inline size_t NumMarkers(const HaplotypePanel& panel) { return panel.num_markers(); }
inline size_t NumMarkers(const StudyGenotypes& study) { return study.markers.size(); }

inline void DropMarkers(MutablePanel& panel) { panel.DropBefore(panel.num_markers()); }
inline void DropMarkers(StudyGenotypes& study) { study.markers.clear(); }

// Reads the contig until `position` as a reader's ReadUntil() does, and returns what it returns, but calls visit(m)
// with the index in `genotypes` of each marker, and drops it afterwards.
template <typename Reader, typename Genotypes, typename Visit>
bool ForEachMarker(Reader& reader, Genotypes& genotypes, Visit visit, int64_t position = INT64_MAX) {
  for (;;) {
    const int64_t end = EndOfPiece(reader.NextPosition(), position);
    const bool has_more = reader.ReadUntil(end, genotypes);
    for (size_t m = 0; m < NumMarkers(genotypes); ++m) visit(m);
    DropMarkers(genotypes);
    if (!has_more || end == position) return has_more;
  }
}

// Skips the next contig, or the next part of it.
template <typename Reader>
void SkipPart(Reader& reader) {
  auto genotypes = reader.StartContig();
  ForEachMarker(reader, genotypes, [](size_t) {});
}

}  // namespace haplospin
