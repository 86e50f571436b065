// Numbers in JSON reports.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace haplospin {

// Six digits; null where it is undefined (NaN).
inline nlohmann::ordered_json JsonNumber(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(std::stod(fmt::format("{:.6g}", value)));
}

}  // namespace haplospin
