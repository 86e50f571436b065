#include "genotypes/genomics/sites/variant.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "core/letter_case.h"
#include "core/parse_number.h"

namespace haplospin {
namespace {

bool SameBase(char x, char y) { return ToUpper(x) == ToUpper(y); }

void Trim(Variant& variant) {
  std::string_view &ref = variant.ref, &alt = variant.alt;
  while (ref.size() > 1 && alt.size() > 1 && SameBase(ref.back(), alt.back())) {
    ref.remove_suffix(1);
    alt.remove_suffix(1);
  }
  const int64_t last = variant.position + kMaxPadding;
  while (ref.size() > 1 && alt.size() > 1 && SameBase(ref.front(), alt.front()) && variant.position < last) {
    ref.remove_prefix(1);
    alt.remove_prefix(1);
    ++variant.position;
  }
}

int64_t VariantLength(const Marker& marker) {
  const int64_t length = std::abs(InfoNumber(marker.info, "SVLEN"));
  return length != 0 ? length : std::max<int64_t>(InfoNumber(marker.info, "END") - marker.position, 0);
}

bool MayHaveSameLength(const Marker& a, const Marker& b) {
  for (const char* key : {"SVLEN", "END"}) {
    const int64_t x = std::abs(InfoNumber(a.info, key)), y = std::abs(InfoNumber(b.info, key));
    if (x != 0 && y != 0) return x == y;
  }
  const int64_t x = VariantLength(a), y = VariantLength(b);
  return x == 0 || y == 0 || x == y;
}

bool SameAlleles(const Variant& x, const Variant& y) {
  return x.position == y.position && SameBases(x.ref, y.ref) && SameBases(x.alt, y.alt);
}

// The bases that an indel of one base and more inserts or deletes.
std::string_view Changed(const Variant& indel) {
  return (indel.ref.size() > indel.alt.size() ? indel.ref : indel.alt).substr(1);
}

bool IsSimple(const Variant& indel) { return std::min(indel.ref.size(), indel.alt.size()) == 1; }

}  // namespace

bool Variant::IsSubstitution() const { return ref.size() == alt.size() && IsBases(ref) && IsBases(alt); }

bool Variant::IsIndel() const { return ref.size() != alt.size() && IsBases(ref) && IsBases(alt); }

bool IsBases(std::string_view allele) {
  return !allele.empty() && std::ranges::all_of(allele, [](unsigned char c) { return std::isalpha(c) != 0; });
}

bool SameBases(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, SameBase); }

Variant TrimVariant(const Marker& marker) {
  Variant variant{.position = marker.position, .ref = marker.ref, .alt = marker.alt};
  if (marker.IsSymbolic()) {
    variant.length = VariantLength(marker);
  } else if (marker.ref.size() > 1 && marker.alt.size() > 1 && IsBases(marker.ref) && IsBases(marker.alt)) {
    Trim(variant);
  }
  return variant;
}

int64_t InfoNumber(std::string_view info, std::string_view key) {
  while (!info.empty()) {
    const std::string_view item = info.substr(0, info.find(';'));
    info.remove_prefix(std::min(item.size() + 1, info.size()));
    if (!item.starts_with(key) || item.size() == key.size() || item[key.size()] != '=') continue;
    const std::string_view values = item.substr(key.size() + 1);
    return ParseNumber<int32_t>(values.substr(0, values.find(','))).value_or(0);
  }
  return 0;
}

bool AreOfOneRecord(const Marker& marker, const Marker& next) {
  return next.continues_record && next.position == marker.position && next.ref == marker.ref && next.id == marker.id;
}

bool SameVariant(const Marker& a, const Marker& b) {
  const Variant x = TrimVariant(a), y = TrimVariant(b);
  if (!SameAlleles(x, y)) return false;
  if (x.length == y.length) return true;
  return (x.length == 0 || y.length == 0) && a.id == b.id && a.id != ".";
}

bool MayBeSameVariant(const Marker& a, const Marker& b) {
  return SameAlleles(TrimVariant(a), TrimVariant(b)) && (!a.IsSymbolic() || MayHaveSameLength(a, b));
}

bool IsUnspecifiedAlt(std::string_view alt) { return alt == "<NON_REF>" || alt == "<*>" || alt == "<X>"; }

bool MayBeShifted(const Variant& a, const Variant& b) {
  if (!a.IsIndel() || !b.IsIndel() || !IsSimple(a) || !IsSimple(b)) return false;
  if ((a.ref.size() > a.alt.size()) != (b.ref.size() > b.alt.size())) return false;
  const std::string bases = ToUpper(Changed(a)), other = ToUpper(Changed(b));
  return bases.size() == other.size() && (bases + bases).find(other) != std::string::npos;
}

}  // namespace haplospin
