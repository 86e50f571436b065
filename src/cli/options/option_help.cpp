#include "cli/options/option_help.h"

#include <fmt/format.h>

#include <algorithm>

namespace haplospin {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kIndent = 30;

// Words of `text` in lines that start at `indent` and end before kWidth; the first line is already indented.
std::string Wrap(const std::string& text, size_t indent) {
  std::string result;
  size_t column = indent;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const size_t length = end - begin;
    if (column > indent && column + 1 + length > kWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result.append(text, begin, length);
    column += length;
    begin = end + 1;
  }
  return result;
}

std::string NameAndValue(const CommandOption& option) {
  std::string text = option.short_name != 0 ? fmt::format("  -{}, ", option.short_name) : "      ";
  text += "--" + option.name;
  return option.value_name.empty() ? text : text + " " + option.value_name;
}

std::string Explanation(const CommandOption& option) {
  std::string text = option.help;
  if (option.required) text += " (required)";
  if (option.repeatable) text += " (may be repeated)";
  return option.default_text.empty() ? text : text + fmt::format(" [{}]", option.default_text);
}

}  // namespace

std::string OptionHelp(const std::vector<CommandOption>& options) {
  std::string text, group;
  for (const CommandOption& option : options) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format("\n{}:\n", group);
    }
    const std::string left = NameAndValue(option);
    text += left.size() + 2 <= kIndent ? fmt::format("{:<{}}", left, kIndent) : left + "\n" + std::string(kIndent, ' ');
    text += Wrap(Explanation(option), kIndent) + "\n";
  }
  return text;
}

}  // namespace haplospin
