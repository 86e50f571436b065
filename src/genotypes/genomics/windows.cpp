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

WindowCursor::WindowCursor(const GeneticMap& map, const WindowLengths& lengths, int64_t first_position)
    : map_(&map), lengths_(lengths) {
  HS_ASSERT(0 <= first_position && lengths.core > 0 && lengths.flank >= 0);
  window_ = WindowAt(first_position);
}

void WindowCursor::Next() {
  HS_ASSERT(window_.core_end_bp < INT64_MAX);
  window_ = WindowAt(window_.core_end_bp + 1);
}

Window WindowCursor::WindowAt(int64_t core_begin) const {
  const GeneticMap& map = *map_;
  const double core_begin_cm = map.Centimorgans(core_begin);
  const int64_t core_end = LastWithin(map, core_begin, core_begin_cm + lengths_.core);
  return {.begin_bp = FirstFrom(map, std::min<int64_t>(1, core_begin), core_begin, core_begin_cm - lengths_.flank),
          .end_bp = LastWithin(map, core_end, map.Centimorgans(core_end) + lengths_.flank),
          .core_begin_bp = core_begin,
          .core_end_bp = core_end};
}

}  // namespace haplospin
