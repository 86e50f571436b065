#include "genomics/sites/position.h"

#include <fmt/format.h>

#include "core/parse_number.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kCharactersShown = 20;

[[noreturn]] void FailPosition(std::string_view text) {
  throw InputError(fmt::format("\"{}\" is not a position in bp; expected a whole number from 0 to {}",
                               text.substr(0, kCharactersShown), kMaxPosition));
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

}  // namespace haplospin
