// Groups of samples, such as populations, from a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace haplospin {

class SampleGroups {
 public:
  // Reads lines of a sample and its group, split at spaces or tabs; further columns and samples that are not asked for
  // are ignored. Throws InputError if the file cannot be read, lacks one of `samples`, or has one in two groups.
  SampleGroups(const std::string& path, std::span<const std::string> samples);

  // In the order of the first sample of each.
  const std::vector<std::string>& names() const { return names_; }

  // The group of each of the samples asked for, as an index into names().
  const std::vector<size_t>& group_of() const { return group_of_; }

 private:
  std::vector<std::string> names_;
  std::vector<size_t> group_of_;
};

}  // namespace haplospin
