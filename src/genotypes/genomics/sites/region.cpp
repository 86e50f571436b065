#include "genotypes/genomics/sites/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/parse_number.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kCharactersShown = 20;

[[noreturn]] void FailPosition(std::string_view text) {
  throw InputError(fmt::format("\"{}\" is not a position in bp; expected a whole number from 0 to {}",
                               text.substr(0, kCharactersShown), kMaxPosition));
}

// "09N" of HLA-A*24:09N: digits and the letter of an allele that is expressed in another way than usual.
bool IsHlaField(std::string_view text) {
  const size_t letter = text.find_first_not_of("0123456789");
  return letter > 0 && letter != text.npos && letter + 1 == text.size() &&
         std::string_view("NLSCAQ").find(text[letter]) != text.npos;
}

}  // namespace

int64_t ParsePosition(std::string_view text) {
  const auto position = ParseNumber<int64_t>(text);
  if (!position || *position < 0 || *position > kMaxPosition) FailPosition(text);
  return *position;
}

int64_t CheckPosition(int64_t position) {
  if (position < 0 || position > kMaxPosition) FailPosition(fmt::format("{}", position));
  return position;
}

double CoveredShare(const Span& whole, const Span& part) {
  const int64_t first = std::max(whole.first, part.first), last = std::min(whole.last, part.last);
  return first > last ? 0 : static_cast<double>(last - first + 1) / static_cast<double>(whole.last - whole.first + 1);
}

Region ParseRegion(const std::string& text) {
  const auto fail = [&]() -> Region {
    throw InputError(
        fmt::format("region '{}' is invalid; give CONTIG, CONTIG:POSITION, CONTIG:FROM-TO or CONTIG:FROM-, in bp from "
                    "0 to {}",
                    text, kMaxPosition));
  };
  const auto parse = [&](std::string_view number) {
    try {
      return ParsePosition(number);
    } catch (const InputError&) {
      return fail().begin;
    }
  };
  const size_t colon = text.rfind(':');
  Region region{text.substr(0, colon)};
  if (region.contig.empty()) return fail();
  if (colon == std::string::npos) return region;
  std::string range = text.substr(colon + 1);
  if (IsHlaField(range)) return {text};
  std::erase(range, ',');
  region.text = text;
  const size_t dash = range.find('-');
  region.begin = region.end = parse(std::string_view(range).substr(0, dash));
  if (dash == std::string::npos) return region;
  region.end = INT64_MAX;
  if (dash + 1 == range.size()) return region;
  region.end = parse(std::string_view(range).substr(dash + 1));
  return region.end < region.begin ? fail() : region;
}

Region MeantRegion(const Region& region, std::span<const std::string> contigs) {
  const bool is_contig = !region.text.empty() && std::ranges::any_of(contigs, [&](const std::string& name) {
    return BareContig(name) == BareContig(region.text);
  });
  return is_contig ? Region{region.text} : region;
}

}  // namespace haplospin
