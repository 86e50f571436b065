#include "genomics/sites/contig_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace haplospin {
namespace {

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::string_view CanonicalContig(std::string_view name) {
  if (name.size() > 3 && EqualIgnoringCase(name.substr(0, 3), "chr")) name.remove_prefix(3);
  if (name == "23") return "X";
  if (name == "24") return "Y";
  if (name == "M") return "MT";
  return name;
}

bool IsContigName(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](unsigned char c) {
    return c <= ' ' || c == 0x7f || c == ',' || c == '"' || c == '<' || c == '>';
  });
}

bool SameContig(std::string_view a, std::string_view b) { return CanonicalContig(a) == CanonicalContig(b); }

std::string JoinNames(std::span<const std::string> names, size_t limit) {
  if (names.empty()) return "none";
  std::string joined;
  for (size_t i = 0; i < std::min(limit, names.size()); ++i) joined += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > limit) joined += fmt::format(" and {} more", names.size() - limit);
  return joined;
}

}  // namespace haplospin
