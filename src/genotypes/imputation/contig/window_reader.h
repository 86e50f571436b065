// Reads what each window of a contig needs, and decides where the window ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/contig/window_memory.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

inline constexpr size_t kMinTyped = 2;  // typed sites of a window; if it has fewer, neighboring sites are added

class WindowReader {
 public:
  // The first window begins at `first_position`, bp. `part_begin` is the first position of the part of the contig that
  // the buffer reads. `on_read` is called whenever markers were read. The map and the buffer must outlive the reader.
  WindowReader(const GeneticMap& map, const WindowLengths& lengths, int64_t first_position, int64_t part_begin,
               const WindowLimits& limits, ContigBuffer& buffer, std::function<void()> on_read);

  const Window& window() const { return cursor_.window(); }

  // Moves to the first window that reaches `position`, bp. If the position is in the flank that follows a core, that
  // window is read too: it is the last one, with a longer core, if the panel ends in its flank.
  void GoTo(int64_t position);

  // Reads the present window or, if the number of markers is limited, as many as fit into memory.
  void Read();

  // Sets the end of the window, once it was read: where the panel ends, or earlier if the window is too large. Where it
  // has fewer than kMinTyped typed sites, it reads on until there are enough in memory, lets the window reach there,
  // and returns the number that the window itself has.
  std::optional<size_t> SetEnd();

  // Reads up to a position, bp.
  void ReadUntil(int64_t position);

  // Moves to the next window, and removes what it does not need from memory.
  void Next();

  // Returns whether the panel ends with the present window; not for a window that was shortened.
  bool HasWholePanel() const;

  // Tells how many bytes a compressed dosage took in a window.
  void NoteCompressedBytes(double bytes);

 private:
  std::optional<size_t> ReachTyped();
  void LimitFlank();
  void ShortenToMarkers();
  void ShortenToMemory();

  const GeneticMap& map_;
  const int64_t part_begin_;
  const WindowLimits limits_;
  double largest_compressed_ = 0;  // most bytes of a compressed dosage in earlier windows
  ContigBuffer& buffer_;
  const std::function<void()> on_read_;
  WindowCursor cursor_;
};

}  // namespace haplospin
