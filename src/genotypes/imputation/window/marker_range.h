// A range of panel markers.
#pragma once

#include <cstddef>

namespace haplospin {

// Panel markers [begin, end).
struct MarkerRange {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end - begin; }
  bool operator==(const MarkerRange&) const = default;
  bool Contains(size_t marker) const { return begin <= marker && marker < end; }
};

}  // namespace haplospin
