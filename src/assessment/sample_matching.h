// The samples of one file among those of another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace haplospin {

struct FileSamples {
  const std::string& path;
  std::span<const std::string> names;
};

// Where each of the samples of `truth` is in `file`. Throws InputError where either has one that the other lacks.
std::vector<size_t> MatchSamples(const FileSamples& truth, const FileSamples& file);

}  // namespace haplospin
