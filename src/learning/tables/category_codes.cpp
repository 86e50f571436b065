#include "learning/tables/category_codes.h"

#include "learning/tables/values.h"

namespace haplospin {

CategoryCodes::CategoryCodes(const std::vector<std::string>& categories, char decimal) : decimal_(decimal) {
  bool are_numbers = true;
  for (size_t i = 0; i < categories.size(); ++i) {
    const auto code = static_cast<int32_t>(i);
    by_text_.emplace(categories[i], code);
    double number = 0;
    are_numbers = are_numbers && ParseNumber(categories[i], decimal, number);
    if (are_numbers) by_number_.emplace(number, code);
  }
  if (!are_numbers) by_number_.clear();
}

int32_t CategoryCodes::Find(std::string_view text) const {
  const auto same_text = by_text_.find(std::string(text));
  if (same_text != by_text_.end()) return same_text->second;
  double number = 0;
  if (by_number_.empty() || !ParseNumber(text, decimal_, number)) return -1;
  const auto same_number = by_number_.find(number);
  return same_number == by_number_.end() ? -1 : same_number->second;
}

}  // namespace haplospin
