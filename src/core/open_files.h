// How many files a process may have open at once.
#pragma once

#include <cstddef>
#include <string>

namespace haplospin {

// Lets the process open `count` further files, for which it raises its soft limit (ulimit -n) as far as needed. Throws
// InputError if the hard limit does not allow it; `remedy` ends the message.
void AllowOpenFiles(size_t count, const std::string& remedy);

}  // namespace haplospin
