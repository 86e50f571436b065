// SHA-256 of files, to say exactly which weights made a result.
#pragma once

#include <string>
#include <string_view>

namespace haplospin {

// 64 lower-case hexadecimal digits, the same as `sha256sum` prints.
std::string Sha256(std::string_view bytes);

// Throws InputError where the file cannot be read.
std::string Sha256OfFile(const std::string& path);

}  // namespace haplospin
