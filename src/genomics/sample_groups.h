// Groups of samples, such as populations, from a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace haplospin {

class SampleGroups {
 public:
  // The name of each sample's group.
  explicit SampleGroups(std::span<const std::string> groups);

  // Groups in the order of the first sample of each.
  const std::vector<std::string>& names() const { return names_; }

  // The group of each sample, as an index into names().
  const std::vector<size_t>& group_of() const { return group_of_; }

 private:
  std::vector<std::string> names_;
  std::vector<size_t> group_of_;
};

}  // namespace haplospin
