// The version of HTSlib.
#pragma once

#include <string>

namespace haplospin {

// Such as "1.16".
std::string HtslibVersion();

}  // namespace haplospin
