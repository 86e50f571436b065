// The samples of a truth that imputed files are compared with.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace haplospin {

struct FileSamples {
  std::string path;
  std::vector<std::string> names;
};

// The samples of `truth` that every file has, in the order of the truth; a warning names those that only some of the
// files have. With `chosen` (--samples), these samples, which the truth and every file must have. Throws InputError if
// one of them is missing, or no sample is shared.
std::vector<std::string> SamplesToScore(const FileSamples& truth, std::span<const FileSamples> files,
                                        std::span<const std::string> chosen = {});

}  // namespace haplospin
