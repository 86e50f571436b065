// The fields of a column as they are in the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

// One after the other in one string.
class TextColumn {
 public:
  void Add(std::string_view field) {
    bytes_ += field;
    ends_.push_back(bytes_.size());
  }
  std::string_view operator[](size_t row) const {
    const size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(bytes_).substr(begin, ends_[row] - begin);
  }
  size_t size() const { return ends_.size(); }

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

}  // namespace haplospin
