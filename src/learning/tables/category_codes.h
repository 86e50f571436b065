// The categories of a column by their text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace haplospin {

// The code of a category is its place among the categories of the column.
class CategoryCodes {
 public:
  // `decimal`: the decimal mark of the categories, if all are numbers.
  CategoryCodes(const std::vector<std::string>& categories, char decimal);

  // -1: no such category. A number that is no category by its text is the first of the same value: 1.0 is 1, as
  // programs write whole numbers of a column in which some are missing.
  int32_t Find(std::string_view text) const;

 private:
  const char decimal_;
  std::unordered_map<std::string, int32_t> by_text_;
  std::unordered_map<double, int32_t> by_number_;  // empty unless all categories are numbers
};

}  // namespace haplospin
