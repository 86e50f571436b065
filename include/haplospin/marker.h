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
  std::string alt;  // "." where the record has none

  bool HasAlt() const { return alt != "."; }
  bool SameAlleles(const Marker& other) const { return ref == other.ref && alt == other.alt; }
};

}  // namespace haplospin
