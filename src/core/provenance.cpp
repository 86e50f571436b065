#include "core/provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>

#include "core/parse_number.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

// The present day, or that of SOURCE_DATE_EPOCH (reproducible-builds.org).
std::string Today() {
  using namespace std::chrono;
  constexpr int64_t kEndOfYear9999 = 253402300799;
  auto time = floor<seconds>(system_clock::now());
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    const auto given = ParseNumber<int64_t>(epoch);
    if (!given || *given < 0 || *given > kEndOfYear9999) {
      throw InputError(fmt::format(
          "SOURCE_DATE_EPOCH is '{}', but must be a number of seconds since 1970; correct or unset it", epoch));
    }
    time = sys_seconds(seconds(*given));
  }
  const year_month_day day{floor<days>(time)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

}  // namespace

Provenance MakeProvenance(const std::vector<std::string>& arguments, const std::string& data, uint64_t seed) {
  return {.haplospin = kVersion,
          .command = fmt::format("haplospin {}", fmt::join(arguments, " ")),
          .data = data,
          .date = Today(),
          .seed = seed};
}

}  // namespace haplospin
