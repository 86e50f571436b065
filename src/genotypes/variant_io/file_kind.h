// What kind of file it is, by its first bytes.
#pragma once

#include <string>

namespace haplospin {

// Returns whether it is a .bed of PLINK 1, by its name and first bytes.
bool IsBed(const std::string& path);

// Returns whether it is a regular file with the header of BGEN.
bool IsBgen(const std::string& path);

}  // namespace haplospin
