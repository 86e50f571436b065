#include "genotypes/genomics/hla/hla_allele.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace haplospin {
namespace {

constexpr size_t kMostFields = 4;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

bool IsGene(std::string_view text) {
  return !text.empty() && IsCapital(text[0]) &&
         std::ranges::all_of(text, [](char c) { return IsCapital(c) || IsDigit(c); });
}

// Removes "HLA_" or "HLA-" from the front.
std::string_view WithoutPrefix(std::string_view text) {
  const bool has_prefix = text.size() > 4 && text.starts_with("HLA") && (text[3] == '_' || text[3] == '-');
  return has_prefix ? text.substr(4) : text;
}

// "0101" becomes "01", "01". Returns nothing if the digits cannot be divided.
std::vector<std::string> DivideDigits(std::string_view digits, std::string_view gene) {
  if (digits.size() == 5) {
    const size_t first = gene == "DPB1" ? 3 : 2;
    return {std::string(digits.substr(0, first)), std::string(digits.substr(first))};
  }
  std::vector<std::string> fields;
  if (digits.size() % 2 != 0) return fields;
  for (size_t k = 0; k < digits.size(); k += 2) fields.emplace_back(digits.substr(k, 2));
  return fields;
}

// "01:101" becomes "01", "101". A field has two or more digits.
std::vector<std::string> SplitAtColons(std::string_view text) {
  std::vector<std::string> fields;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    const std::string_view field = text.substr(begin, end - begin);
    if (field.size() < 2 || field.size() > 4 || !std::ranges::all_of(field, IsDigit)) return {};
    fields.emplace_back(field);
    begin = end + 1;
  }
  return fields;
}

}  // namespace

HlaAllele HlaAllele::Truncated(size_t count) const {
  if (fields.size() <= count) return *this;
  return {gene, {fields.begin(), fields.begin() + static_cast<ptrdiff_t>(count)}, ""};
}

bool HlaAllele::IsStartOf(const HlaAllele& other) const {
  if (gene != other.gene || fields.size() > other.fields.size()) return false;
  const bool is_shorter = fields.size() < other.fields.size();
  return (is_shorter ? suffix.empty() : suffix == other.suffix) &&
         std::ranges::equal(fields, other.Truncated(fields.size()).fields);
}

std::string HlaAllele::Name() const { return fmt::format("{}*{}{}", gene, fmt::join(fields, ":"), suffix); }

std::optional<HlaAllele> ParseHlaAllele(std::string_view text, std::string_view gene) {
  text = WithoutPrefix(text);
  HlaAllele allele{.gene = std::string(gene), .fields = {}, .suffix = {}};
  if (const size_t star = text.find('*'); star != std::string_view::npos) {
    const std::string_view own_gene = text.substr(0, star);
    if (!IsGene(own_gene) || (!gene.empty() && own_gene != gene)) return std::nullopt;
    allele.gene = own_gene;
    text.remove_prefix(star + 1);
  }
  if (allele.gene.empty()) return std::nullopt;
  if (!text.empty() && IsCapital(text.back())) {
    allele.suffix = text.back();
    text.remove_suffix(1);
  }
  const bool is_digits = text.size() > 3 && std::ranges::all_of(text, IsDigit);
  allele.fields = is_digits ? DivideDigits(text, allele.gene) : SplitAtColons(text);
  if (allele.fields.empty() || allele.fields.size() > kMostFields) return std::nullopt;
  return allele;
}

std::optional<HlaMarker> HlaMarkerOf(const Marker& marker) {
  if (marker.IsSymbolic()) {
    if (!marker.alt.ends_with('>')) return std::nullopt;
    auto allele = ParseHlaAllele(std::string_view(marker.alt).substr(1, marker.alt.size() - 2));
    return allele ? std::optional<HlaMarker>({*std::move(allele), false, 0}) : std::nullopt;
  }
  if (!marker.id.starts_with("HLA_")) return std::nullopt;
  const bool is_present_absent = marker.ref + marker.alt == "AP" || marker.ref + marker.alt == "PA";
  if (!is_present_absent && marker.ref + marker.alt != "AT" && marker.ref + marker.alt != "TA") return std::nullopt;
  std::string name = marker.id.substr(4);
  if (name.find('*') == std::string::npos) {
    const size_t gap = name.find('_');
    if (gap == std::string::npos) return std::nullopt;
    name[gap] = '*';
  }
  auto allele = ParseHlaAllele(name);
  if (!allele) return std::nullopt;
  const size_t resolution = allele->fields.size();
  return HlaMarker{*std::move(allele), marker.alt == "A", resolution};
}

}  // namespace haplospin
