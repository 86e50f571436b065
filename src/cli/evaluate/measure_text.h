// Measures of accuracy as text; "-" where they are undefined (NaN).
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace haplospin {

inline std::string Share(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }
inline std::string Percent(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", 100 * value); }
inline std::string Signed(double value) { return std::isnan(value) ? "-" : fmt::format("{:+.4f}", value); }
inline std::string Scientific(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3e}", value); }

}  // namespace haplospin
