#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "haplospin/errors.h"
#include "nn/distributed/data_parallel.h"

namespace haplospin {
namespace {

int NumberFromEnvironment(const char* name, int otherwise, int lowest, int highest) {
  const char* value = std::getenv(name);
  if (value == nullptr) return otherwise;
  const std::string_view text = value;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < lowest || number > highest) {
    throw InputError(
        fmt::format("environment variable {} is '{}', expected a number from {} to {}; start with torchrun", name, text,
                    lowest, highest));
  }
  return number;
}

}  // namespace

ProcessPlace ProcessPlaceFromEnvironment() {
  constexpr int kMax = std::numeric_limits<int>::max();
  ProcessPlace place;
  place.world_size = NumberFromEnvironment("WORLD_SIZE", 1, 1, kMax);
  if (place.world_size == 1) return place;
  place.rank = NumberFromEnvironment("RANK", -1, 0, place.world_size - 1);
  if (place.rank < 0) throw InputError("environment variable WORLD_SIZE is set but RANK is not; start with torchrun");
  place.local_rank = NumberFromEnvironment("LOCAL_RANK", place.rank, 0, place.rank);
  place.port = static_cast<uint16_t>(NumberFromEnvironment("MASTER_PORT", place.port, 1, 65535));
  if (const char* address = std::getenv("MASTER_ADDR")) place.address = address;
  return place;
}

}  // namespace haplospin
