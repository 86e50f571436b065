// The version of HTSlib.
#pragma once

#include <string>

namespace haplospin {

// Returns the version, such as "1.16".
std::string HtslibVersion();

}  // namespace haplospin
