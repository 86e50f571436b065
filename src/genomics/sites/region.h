// Stretches of a contig.
#pragma once

#include <cstdint>
#include <string>

namespace haplospin {

// Positions in bp, both ends included.
struct Region {
  std::string contig;
  int64_t begin = 0;
  int64_t end = INT64_MAX;
};

// Positions in bp, both included.
struct Span {
  int64_t first = 0;
  int64_t last = 0;
};

// The fraction of `whole` that is in `part`.
double CoveredShare(const Span& whole, const Span& part);

// Reads CONTIG, CONTIG:POSITION, CONTIG:FROM-TO or CONTIG:FROM-, where numbers may have commas as in genome browsers;
// throws InputError for anything else.
Region ParseRegion(const std::string& text);

}  // namespace haplospin
