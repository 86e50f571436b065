#include "genotypes/imputation/contig/window_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "genotypes/imputation/window/probability_table.h"

namespace haplospin {
namespace {

constexpr int64_t kShortPiece = 100'000;  // bp that are read at a time where the number of markers is limited
constexpr size_t kLeastFlankShare = 8;    // a flank may have one of so many parts of a window's markers, if limited
constexpr size_t kKeptTyped = 8;          // typed sites kept in memory for a next window with few of its own

// A window may be less compressible than those before.
constexpr double kCompressionMargin = 1.25;

}  // namespace

WindowReader::WindowReader(const GeneticMap& map, const WindowLengths& lengths, int64_t first_position,
                           int64_t part_begin, const WindowLimits& limits, ContigBuffer& buffer,
                           std::function<void()> on_read)
    : map_(map),
      part_begin_(part_begin),
      limits_(limits),
      buffer_(buffer),
      on_read_(std::move(on_read)),
      cursor_(map, lengths, first_position) {}

void WindowReader::GoTo(int64_t position) {
  if (window().end_bp >= position) return;
  while (window().end_bp < position) cursor_.Next();
  buffer_.Seek(std::max(window().begin_bp, part_begin_));
}

std::optional<size_t> WindowReader::SetEnd() {
  const std::optional<size_t> few_typed = ReachTyped();
  if (buffer_.panel_ended()) {
    Window whole = window();
    whole.core_end_bp = whole.end_bp = buffer_.read_until();
    cursor_.Set(whole);
  }
  ShortenToMarkers();
  ShortenToMemory();
  return few_typed;
}

void WindowReader::ReadUntil(int64_t position) {
  buffer_.ReadUntil(position);
  on_read_();
}

void WindowReader::Read() {
  const Window& window = this->window();
  const auto num_markers = [&] { return buffer_.Markers(window.begin_bp, window.end_bp).size(); };
  while (limits_.markers < SIZE_MAX && num_markers() <= limits_.markers) {
    const std::optional<int64_t> next = buffer_.NextOfStudy();
    if (!next || *next > window.end_bp) break;
    ReadUntil(std::min(*next + kShortPiece, window.end_bp));
  }
  if (num_markers() <= limits_.markers) ReadUntil(window.end_bp);
}

std::optional<size_t> WindowReader::ReachTyped() {
  Window longer = window();
  if (buffer_.Markers(longer.core_begin_bp, longer.core_end_bp).size() == 0) return std::nullopt;
  const size_t typed = buffer_.NumTyped(longer.begin_bp, longer.end_bp);
  if (typed >= kMinTyped) return std::nullopt;
  WindowCursor further = cursor_;
  while (!buffer_.panel_ended() && buffer_.NumTyped() < kMinTyped) {
    further.Next();
    ReadUntil(further.window().end_bp);
  }
  longer.end_bp = further.window().end_bp;
  cursor_.Set(longer);
  return buffer_.NumTyped() > 0 ? std::optional(typed) : std::nullopt;
}

// Begins a window later, if the flank before its core has too many markers.
void WindowReader::LimitFlank() {
  Window shorter = window();
  const MarkerRange flank = buffer_.Markers(shorter.begin_bp, shorter.core_begin_bp - 1);
  const size_t most = limits_.markers / kLeastFlankShare;
  if (flank.size() <= most) return;
  shorter.begin_bp = buffer_.panel().marker(flank.end - most).position;
  cursor_.Set(shorter);
}

// Ends a window early, if it has too many markers.
void WindowReader::ShortenToMarkers() {
  const HaplotypePanel& panel = buffer_.panel();
  Window shorter = window();
  const MarkerRange markers = buffer_.Markers(shorter.begin_bp, shorter.end_bp);
  if (markers.size() <= limits_.markers) return;
  const size_t last = markers.begin + limits_.markers - 1, most = limits_.markers / kLeastFlankShare;
  shorter.end_bp = panel.marker(last).position;
  const double flank_begin = map_.Centimorgans(shorter.end_bp) - cursor_.lengths().flank;
  size_t core_last = last;
  while (last - core_last < most && map_.Centimorgans(panel.marker(core_last).position) > flank_begin) --core_last;
  shorter.core_end_bp = std::max(shorter.core_begin_bp, panel.marker(core_last).position);
  cursor_.Set(shorter);
}

// Ends the core early if the dosages of a large study would take too much memory. Markers after the flank are in memory
// then, but are not used before their own window.
void WindowReader::ShortenToMemory() {
  const HaplotypePanel& panel = buffer_.panel();
  Window shorter = window();
  const size_t first = FirstMarkerAtOrAfter(panel, shorter.core_begin_bp);
  const double compressed =
      largest_compressed_ > 0 ? kCompressionMargin * largest_compressed_ : ProbabilityTable::kCompressedBytes;
  const size_t max_markers = std::max<size_t>(1, limits_.dosage_bytes / limits_.bytes_of_marker(compressed));
  if (panel.num_markers() - first <= max_markers) return;
  const int64_t position = panel.marker(first + max_markers - 1).position;
  if (position >= shorter.core_end_bp) return;
  shorter.core_end_bp = position;
  const double flank_end = map_.Centimorgans(position) + cursor_.lengths().flank;
  size_t last = first + max_markers - 1;
  while (last + 1 < panel.num_markers() && map_.Centimorgans(panel.marker(last + 1).position) <= flank_end) ++last;
  shorter.end_bp = panel.marker(last).position;
  cursor_.Set(shorter);
}

void WindowReader::Next() {
  cursor_.Next();
  LimitFlank();
  const int64_t typed = buffer_.PositionOfTypedBefore(window().core_begin_bp, kKeptTyped);
  buffer_.DropBefore(std::min(window().begin_bp, typed));
}

bool WindowReader::HasWholePanel() const {
  return buffer_.panel_ended() && window().core_end_bp == buffer_.read_until();
}

void WindowReader::NoteCompressedBytes(double bytes) { largest_compressed_ = std::max(largest_compressed_, bytes); }

}  // namespace haplospin
