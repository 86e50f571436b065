#include "cli/options/command_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "cli/options/suggestion.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "core/threads.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

namespace po = boost::program_options;

constexpr int kHelpWidth = 100;
constexpr int kMaxThreads = 1024;
constexpr char kCommonGroup[] = "Common";

template <typename T>
std::string RangeText(T low, T high) {
  using Limits = std::numeric_limits<T>;
  const char* kind = std::is_integral_v<T> ? "a whole number" : "a number";
  if (low == Limits::lowest() && high == Limits::max()) return kind;
  if (high == Limits::max()) return fmt::format("{}, {} or more", kind, low);
  if (low == Limits::lowest()) return fmt::format("{}, {} or less", kind, high);
  return fmt::format("{} from {} to {}", kind, low, high);
}

bool IsDevice(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  constexpr std::string_view kCuda = "cuda:";
  return text.starts_with(kCuda) && ParseNumber<uint8_t>(std::string_view(text).substr(kCuda.size())).has_value();
}

// Words of `text` in lines that start at `indent` and end before kHelpWidth; the first line is already indented.
std::string Wrap(const std::string& text, size_t indent) {
  std::string result;
  size_t column = indent;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const size_t length = end - begin;
    if (column > indent && column + 1 + length > kHelpWidth) {
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

}  // namespace

CommandOptions::CommandOptions(std::string command, std::string summary, std::string example)
    : command_(std::move(command)),
      summary_(std::move(summary)),
      example_(std::move(example)),
      threads_(AvailableThreads()) {}

void CommandOptions::Group(std::string title) { group_ = std::move(title); }

CommandOptions::Option& CommandOptions::Declare(const std::string& name, const std::string& value_name,
                                                const std::string& help) {
  Option option;
  option.group = group_;
  option.name = name.substr(0, name.find(','));
  if (option.name.size() < name.size()) option.short_name = name.back();
  option.value_name = value_name;
  option.help = help;
  HS_ASSERT(Find(option.name) == nullptr);
  return options_.emplace_back(std::move(option));
}

void CommandOptions::Add(const std::string& name, const std::string& value_name, std::string* value,
                         const std::string& help) {
  Option& option = Declare(name, value_name, help);
  option.default_text = *value;
  option.set = [value](const auto& texts) { *value = texts.front(); };
}

template <typename T>
void CommandOptions::AddNumber(const std::string& name, const std::string& value_name, T* value,
                               const std::string& help, OptionRange<T> range) {
  HS_ASSERT(*value >= range.low && *value <= range.high);
  Option& option = Declare(name, value_name, help);
  option.default_text = fmt::format("{}", *value);
  option.set = [value, range](const auto& texts) {
    const auto parsed = ParseNumber<T>(texts.front());
    // Not-a-number fails both comparisons.
    if (!parsed || !(*parsed >= range.low && *parsed <= range.high)) {
      throw InputError(RangeText(range.low, range.high));
    }
    *value = *parsed;
  };
}

void CommandOptions::Add(const std::string& name, const std::string& value_name, int64_t* value,
                         const std::string& help, OptionRange<int64_t> range) {
  AddNumber(name, value_name, value, help, range);
}

void CommandOptions::Add(const std::string& name, const std::string& value_name, int* value, const std::string& help,
                         OptionRange<int> range) {
  AddNumber(name, value_name, value, help, range);
}

void CommandOptions::Add(const std::string& name, const std::string& value_name, double* value, const std::string& help,
                         OptionRange<double> range) {
  AddNumber(name, value_name, value, help, range);
}

void CommandOptions::Add(const std::string& name, const std::string& value_name, std::vector<std::string>* values,
                         const std::string& help) {
  Option& option = Declare(name, value_name, help);
  option.default_text = fmt::format("{}", fmt::join(*values, ", "));
  option.repeatable = true;
  option.set = [values](const auto& texts) { *values = texts; };
}

void CommandOptions::Require(const std::string& name, const std::string& value_name, std::string* value,
                             const std::string& help) {
  Add(name, value_name, value, help);
  options_.back().required = true;
}

void CommandOptions::Require(const std::string& name, const std::string& value_name, std::vector<std::string>* values,
                             const std::string& help) {
  Add(name, value_name, values, help);
  options_.back().required = true;
}

void CommandOptions::RequireArguments(const std::string& value_name, std::vector<std::string>* values,
                                      const std::string& help) {
  arguments_name_ = value_name;
  arguments_help_ = help;
  arguments_ = values;
}

void CommandOptions::AddChoice(const std::string& name, std::string* value, std::vector<std::string> choices,
                               const std::string& help) {
  Option& option = Declare(name, fmt::format("{}", fmt::join(choices, "|")), help);
  option.default_text = *value;
  option.set = [value, choices = std::move(choices)](const auto& texts) {
    if (std::find(choices.begin(), choices.end(), texts.front()) == choices.end()) {
      throw InputError(fmt::format("one of {}", fmt::join(choices, ", ")));
    }
    *value = texts.front();
  };
}

void CommandOptions::AddFlag(const std::string& name, bool* value, const std::string& help) {
  Declare(name, "", help).set = [value](const auto&) { *value = true; };
}

void CommandOptions::ShowDefault(const std::string& name, std::string text) {
  Option* option = Find(name);
  HS_ASSERT(option != nullptr);
  option->default_text = std::move(text);
}

void CommandOptions::AddSeed(int64_t* seed) {
  Add("seed", "N", seed, "seed of the random numbers; the same seed gives the same result", OptionRange<int64_t>{0});
}

void CommandOptions::AddDevice(std::string* device) {
  Option& option = Declare("device", "auto|cpu|cuda|cuda:N", "where to compute; auto: a GPU if there is one");
  option.default_text = *device;
  option.set = [device](const auto& texts) {
    if (!IsDevice(texts.front())) throw InputError("auto, cpu, cuda or cuda:N");
    *device = texts.front();
  };
}

CommandOptions::Option* CommandOptions::Find(const std::string& name) {
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

// The option of a name as parsed; `name` may be unknown.
CommandOptions::Option& CommandOptions::Match(const std::string& name) {
  if (Option* option = Find(name)) return *option;
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back("--" + option.name);
  const std::string typed = name.starts_with('-') ? name : "--" + name;  // an unknown short one keeps its dash
  Fail(fmt::format("unknown option {}{}", typed, Suggestion(typed, names)));
}

void CommandOptions::Fail(const std::string& message) const {
  throw InputError(fmt::format("{}: {} (see haplospin {} --help)", command_, message, command_));
}

bool CommandOptions::Parse(const Arguments& arguments) {
  HS_ASSERT(!arguments.empty());
  Group(kCommonGroup);
  Add("threads", "N", &threads_, "threads to use", {1, std::max(kMaxThreads, threads_)});
  AddFlag("quiet,q", &quiet_, "print warnings and errors only");
  AddFlag("help,h", &help_, "print this help");

  po::options_description description;
  for (const Option& option : options_) {
    const std::string name = option.short_name != 0 ? option.name + "," + option.short_name : option.name;
    if (option.value_name.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::string>(), "");
    }
  }
  std::vector<po::option> parsed;
  try {
    // Without guessing: an abbreviation that works today would be ambiguous after the next new option.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    parsed = po::command_line_parser(std::vector<std::string>(arguments.begin() + 1, arguments.end()))
                 .options(description)
                 .style(style)
                 .allow_unregistered()
                 .run()
                 .options;
  } catch (const po::error& error) {
    Fail(error.what());
  }

  std::vector<std::pair<Option*, std::vector<std::string>>> given;
  for (const po::option& item : parsed) {
    if (item.position_key >= 0) {
      if (arguments_ == nullptr) Fail(fmt::format("unexpected argument '{}'", item.value.front()));
      arguments_->push_back(item.value.front());
      continue;
    }
    Option& option = Match(item.string_key);
    if (&option == Find("help")) {
      std::fputs(HelpText().c_str(), stdout);
      return false;
    }
    if (!option.given) {
      given.emplace_back(&option, item.value);
    } else if (option.repeatable) {
      auto entry = std::find_if(given.begin(), given.end(), [&](const auto& e) { return e.first == &option; });
      entry->second.push_back(item.value.front());
    } else {
      Fail(fmt::format("--{} is given twice", option.name));
    }
    option.given = true;
  }
  for (const auto& [option, texts] : given) {
    try {
      option->set(texts);
    } catch (const InputError& expected) {
      Fail(fmt::format("--{} is '{}', but must be {}", option->name, texts.front(), expected.what()));
    }
  }
  for (const Option& option : options_) {
    if (option.required && !option.given) Fail(fmt::format("--{} is missing", option.name));
  }
  if (arguments_ != nullptr && arguments_->empty()) Fail(arguments_name_ + " is missing");
  SetThreads(threads_);
  SetQuiet(quiet_);
  return true;
}

bool CommandOptions::IsGiven(const std::string& name) const {
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == name; });
  HS_ASSERT(found != options_.end());
  return found->given;
}

std::string CommandOptions::HelpText() const {
  const std::string arguments = arguments_ == nullptr ? "" : fmt::format(" {}...", arguments_name_);
  std::string text =
      fmt::format("{}\n\nUsage: haplospin {} [options]{}\nExample: {}\n", summary_, command_, arguments, example_);
  if (arguments_ != nullptr) text += fmt::format("\n{}: {}\n", arguments_name_, arguments_help_);
  std::string group;
  constexpr size_t kIndent = 30;
  for (const Option& option : options_) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format("\n{}:\n", group);
    }
    std::string left = option.short_name != 0 ? fmt::format("  -{}, ", option.short_name) : "      ";
    left += "--" + option.name;
    if (!option.value_name.empty()) left += " " + option.value_name;
    std::string help = option.help;
    if (option.required) help += " (required)";
    if (option.repeatable) help += " (may be repeated)";
    if (!option.default_text.empty()) help += fmt::format(" [{}]", option.default_text);
    text += left.size() + 2 <= kIndent ? fmt::format("{:<{}}", left, kIndent) : left + "\n" + std::string(kIndent, ' ');
    text += Wrap(help, kIndent) + "\n";
  }
  return text;
}

}  // namespace haplospin
