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
  std::string alt;   // "." where the record has none
  std::string info;  // INFO that describes the ALT, such as "END=250;SVLEN=-150;SVTYPE=DEL"; empty where there is none
  bool continues_record = false;  // a further ALT of the record of the marker before it

  bool HasAlt() const { return alt != "."; }
  bool IsSymbolic() const { return alt.starts_with('<'); }
};

}  // namespace haplospin
