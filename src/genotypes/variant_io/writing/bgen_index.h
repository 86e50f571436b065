// The index of a BGEN file, in the tables that bgenix makes: https://enkre.net/cgi-bin/code/bgen
#pragma once

#include <string>

namespace haplospin {

// Reads the BGEN file `bgen`, which will be renamed to `name`, and writes its index to the empty file `index`. Throws
// InputError if that cannot be written.
void WriteBgenIndex(const std::string& bgen, const std::string& name, const std::string& index);

}  // namespace haplospin
