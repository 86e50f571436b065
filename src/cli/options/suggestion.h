// "Did you mean": the known name closest to a mistyped one.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

// "; did you mean NAME?", or nothing where no name is close.
std::string Suggestion(const std::string& typed, const std::vector<std::string>& names);

}  // namespace haplospin
