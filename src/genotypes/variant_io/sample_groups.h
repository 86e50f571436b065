// The populations of samples, and files of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace haplospin {

class SampleGroups {
 public:
  // `groups` has the name of each sample's group.
  explicit SampleGroups(std::span<const std::string> groups);

  // Groups in the order of the first sample of each.
  const std::vector<std::string>& names() const { return names_; }

  // The group of each sample, as an index into names().
  const std::vector<size_t>& group_of() const { return group_of_; }

 private:
  std::vector<std::string> names_;
  std::vector<size_t> group_of_;
};

// The groups of `samples`, from lines of a sample and its group split at spaces or tabs; further columns and other
// samples are ignored. Throws InputError if the file cannot be read, one of `samples` is missing, or one is in two
// groups.
SampleGroups LoadSampleGroups(const std::string& path, std::span<const std::string> samples);

}  // namespace haplospin
