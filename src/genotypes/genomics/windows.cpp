#include "genotypes/genomics/windows.h"

#include <algorithm>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The last position from `first` on that is at most `centimorgans` along the map; `first` is.
int64_t LastWithin(const GeneticMap& map, int64_t first, double centimorgans) {
  int64_t last = INT64_MAX;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2 + 1;
    if (map.Centimorgans(middle) <= centimorgans) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

// The first position in [first, last] that is at least `centimorgans` along the map; `last` is.
int64_t FirstFrom(const GeneticMap& map, int64_t first, int64_t last, double centimorgans) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (map.Centimorgans(middle) >= centimorgans) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

}  // namespace

Window FirstWindow(const GeneticMap& map, int64_t first_position, double window_cm, double overlap_cm) {
  HS_ASSERT(0 <= first_position && window_cm > 0 && overlap_cm >= 0);
  Window window;
  window.core_begin_bp = first_position;
  const double core_begin_cm = map.Centimorgans(first_position);
  window.core_end_bp = LastWithin(map, first_position, core_begin_cm + window_cm);
  window.begin_bp = FirstFrom(map, std::min<int64_t>(1, first_position), first_position, core_begin_cm - overlap_cm);
  window.end_bp = LastWithin(map, window.core_end_bp, map.Centimorgans(window.core_end_bp) + overlap_cm);
  return window;
}

Window NextWindow(const GeneticMap& map, const Window& previous, double window_cm, double overlap_cm) {
  HS_ASSERT(previous.core_end_bp < INT64_MAX);
  return FirstWindow(map, previous.core_end_bp + 1, window_cm, overlap_cm);
}

}  // namespace haplospin
