// The program, command and data that made a model or a report, and the hash of a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

struct Provenance {
  std::string haplospin;  // version of the program
  std::string command;    // the whole command line
  std::string data;       // training data
  std::string date;       // YYYY-MM-DD, UTC
  uint64_t seed = 0;
};

// "haplospin" and its arguments on one line. Arguments with special characters are quoted as for a shell, which keeps
// line ends out of headers.
std::string CommandLineText(const std::vector<std::string>& arguments);

// Describes a run of this program today; `arguments` are those of the command line after the program's name. The date
// is that of SOURCE_DATE_EPOCH if the environment sets it; throws InputError if that is not a number of seconds.
Provenance MakeProvenance(const std::vector<std::string>& arguments, const std::string& data = "", uint64_t seed = 0);

// Returns the SHA-256 of a text, as below.
std::string Sha256OfText(std::string_view text);

// Returns a text that is the same for the same content: the size of a file, and the SHA-256 of its first and last MiB.
// Throws InputError if it cannot be read.
std::string FingerprintOfFile(const std::string& path);

// Returns the SHA-256 of a file, 64 lower-case hexadecimal digits as `sha256sum` prints them. Throws
// InputError if the file cannot be read.
std::string Sha256OfFile(const std::string& path);

}  // namespace haplospin
