// A biallelic marker: one ALT of one VCF record.
#pragma once

#include <cstdint>
#include <string>

namespace haplospin {

// A VCF record with several ALTs becomes one marker per ALT, in their order.
struct Marker {
  int64_t position = 0;  // bp, 1-based as in VCF
  std::string id;        // "." where the record has none
  std::string ref;
  std::string alt;     // "." where the record has none
  int64_t end = 0;     // bp, INFO/END of a symbolic ALT such as <DEL>; 0 where there is none
  int64_t length = 0;  // bp, INFO/SVLEN of a symbolic ALT, of a deletion often negative; 0 where there is none

  bool HasAlt() const { return alt != "."; }
  bool IsSymbolic() const { return alt.starts_with('<'); }
};

}  // namespace haplospin
