// SHA-256 of files, which identifies the weights that a result was computed with.
#pragma once

#include <string>

namespace haplospin {

// 64 lower-case hexadecimal digits, the same as `sha256sum` prints. Throws InputError if the file cannot be read.
std::string Sha256OfFile(const std::string& path);

}  // namespace haplospin
