#include "genomics/sites/region.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "core/parse_number.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::optional<int64_t> ParsePosition(std::string_view text) {
  const auto position = ParseNumber<int64_t>(text);
  return position && *position >= 1 ? position : std::nullopt;
}

}  // namespace

Region ParseRegion(const std::string& text) {
  const auto fail = [&]() -> Region {
    throw InputError(
        fmt::format("region '{}' is invalid; give CONTIG, CONTIG:POSITION, CONTIG:FROM-TO or CONTIG:FROM-", text));
  };
  const size_t colon = text.rfind(':');
  Region region{text.substr(0, colon)};
  if (region.contig.empty()) return fail();
  if (colon == std::string::npos) return region;
  const std::string_view range = std::string_view(text).substr(colon + 1);
  const size_t dash = range.find('-');
  const auto begin = ParsePosition(range.substr(0, dash));
  if (!begin) return fail();
  region.begin = region.end = *begin;
  if (dash == std::string_view::npos) return region;
  region.end = INT64_MAX;
  if (dash + 1 == range.size()) return region;
  const auto end = ParsePosition(range.substr(dash + 1));
  if (!end || *end < region.begin) return fail();
  region.end = *end;
  return region;
}

}  // namespace haplospin
