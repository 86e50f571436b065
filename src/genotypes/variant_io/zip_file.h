// The one file in a .zip archive, in which people download their genotypes.
#pragma once

#include <cstddef>
#include <string>

namespace haplospin {

// Returns whether it is a regular file that begins as an archive does.
bool IsZip(const std::string& path);

// Returns the first `max_bytes` of the file in the archive, or all of it if it has no more. What systems and services
// put beside it (folders, hidden files, other than text) does not count. Throws InputError if the archive is damaged or
// has a password, or no or several files.
std::string ReadZippedFile(const std::string& path, size_t max_bytes);

}  // namespace haplospin
