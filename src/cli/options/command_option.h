// An option of a command, as it was declared.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace haplospin {

struct CommandOption {
  std::string group;
  std::string name;
  char short_name = 0;
  std::string value_name;  // empty: a flag
  std::string help;
  std::string default_text;  // empty: not shown
  bool required = false;
  bool repeatable = false;
  std::vector<std::string> values;  // given on the command line; of a flag, one empty text
  std::function<void(const std::vector<std::string>& texts)> set;  // throws InputError with what was expected

  bool IsGiven() const { return !values.empty(); }
};

}  // namespace haplospin
