// Positions and regions of contigs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace haplospin {

// The highest position, bp, that BCF and its index can store. The lowest is 0: VCF writes the end of a telomere so, and
// PLINK a variant without a position.
inline constexpr int64_t kMaxPosition = INT32_MAX;

// Throw InputError, which names neither file nor record, if it is not a position from 0 to kMaxPosition.
int64_t ParsePosition(std::string_view text);
int64_t CheckPosition(int64_t position);

// Positions in bp, both ends included.
struct Region {
  std::string contig;
  int64_t begin = 0;
  int64_t end = INT64_MAX;
  std::string text = {};  // what was given, if it ends with positions: it may also be the name of a contig
};

// Positions in bp, both included.
struct Span {
  int64_t first = 0;
  int64_t last = 0;
};

// The fraction of `whole` that is in `part`.
double CoveredShare(const Span& whole, const Span& part);

// Reads CONTIG, CONTIG:POSITION, CONTIG:FROM-TO or CONTIG:FROM-, where numbers may have commas as in genome browsers;
// throws InputError for anything else. A contig's name may have colons: MeantRegion() tells them from the last one.
Region ParseRegion(const std::string& text);

// Returns the whole contig where `contigs` has one of the name that was given, such as HLA-DRB1*15:01:01:01, and the
// region as it was parsed otherwise.
Region MeantRegion(const Region& region, std::span<const std::string> contigs);

}  // namespace haplospin
