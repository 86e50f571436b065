// What a marker is, however its record is written: the one identity of variants in all commands.
#pragma once

#include <cstdint>
#include <string_view>

#include "haplospin/marker.h"

namespace haplospin {

// Views into a marker. Alleles that are bases are without those that both have at their ends, of which one is left
// where an allele would be empty. Of two deletions <DEL> at a position, the length tells which one it is.
struct Variant {
  int64_t position = 0;  // bp, of the first base that is left
  std::string_view ref;
  std::string_view alt;
  int64_t length = 0;  // bp, of a symbolic ALT: SVLEN without its sign, or up to END; 0 where neither is known

  // Alleles of bases, one for each of the other: SNVs, and substitutions of several bases.
  bool IsSubstitution() const;
  bool IsIndel() const;  // alleles of bases that differ in number
};

Variant TrimVariant(const Marker& marker);

// Returns the first whole number that Marker::info has for a key; 0 where there is none.
int64_t InfoNumber(std::string_view info, std::string_view key);

// Whether two markers in a row are ALTs of one record.
bool AreOfOneRecord(const Marker& marker, const Marker& next);

// The longest padding before a variant, bp, that is looked beyond: a variant begins at most so far after its record.
inline constexpr int64_t kMaxPadding = 1000;

// Whether two variants have the same position, REF and ALT, in upper or lower case, and length. Where one of two
// symbolic ALTs has no length, they are the same if their IDs are.
bool SameVariant(const Marker& a, const Marker& b);

// Whether two variants have the same position, REF and ALT, and may have the same length: a symbolic ALT without length
// may have any, whatever the IDs are. Lengths are compared by SVLEN or END where both have it.
bool MayBeSameVariant(const Marker& a, const Marker& b);

// Whether an allele is a sequence of bases, not a symbol.
bool IsBases(std::string_view allele);

// Whether two texts have the same bases, in upper or lower case.
bool SameBases(std::string_view a, std::string_view b);

// <NON_REF> and <*> of a gVCF: any allele that is not in the record. A genotype without it says that a sample has no
// other allele.
bool IsUnspecifiedAlt(std::string_view alt);

// Returns whether two indels insert, or delete, the same bases, of which one may have begun later: in a repeat, they
// may be one variant in two places.
bool MayBeShifted(const Variant& a, const Variant& b);

}  // namespace haplospin
