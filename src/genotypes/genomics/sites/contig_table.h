// The contigs that a file declares.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace haplospin {

// Names and lengths in bp (0: unknown).
using ContigTable = std::vector<std::pair<std::string, int64_t>>;

}  // namespace haplospin
