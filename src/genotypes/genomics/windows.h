// Divides a contig into windows that are imputed one after the other.
#pragma once

#include <cstdint>

#include "haplospin/genetic_map.h"

namespace haplospin {

// Positions in bp, both ends included. Results are kept for the core; the flanks on either side are only used as
// context.
struct Window {
  int64_t begin_bp = 0;
  int64_t end_bp = 0;
  int64_t core_begin_bp = 0;
  int64_t core_end_bp = 0;

  bool operator==(const Window&) const = default;
};

// The lengths of windows, in cM: `core` > 0, `flank` >= 0.
struct WindowLengths {
  double core;
  double flank;  // length on either side
};

// Steps along a contig, window by window. Where the contig ends is not known: a window may reach beyond.
class WindowCursor {
 public:
  // The first core begins at `first_position`, bp. The map must outlive the cursor.
  WindowCursor(const GeneticMap& map, const WindowLengths& lengths, int64_t first_position);

  const Window& window() const { return window_; }
  const WindowLengths& lengths() const { return lengths_; }

  // Replaces the present window by a shorter or longer one.
  void Set(const Window& window) { window_ = window; }

  // Moves on by a window: its core begins after the core of the present one.
  void Next();

 private:
  Window WindowAt(int64_t core_begin) const;

  const GeneticMap* map_;
  WindowLengths lengths_;
  Window window_;
};

}  // namespace haplospin
