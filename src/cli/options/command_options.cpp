#include "cli/options/command_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/options/command.h"
#include "cli/options/name_list.h"
#include "core/letter_case.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/parse_number.h"
#include "core/provenance.h"
#include "core/run_report.h"
#include "core/threads.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

namespace po = boost::program_options;

constexpr int kMaxThreads = 1024;
constexpr char kCommonGroup[] = "Common";
constexpr char kOutputGroup[] = "Output";
constexpr char kHelp[] = "help";

constexpr size_t kHelpWidth = 100;  // columns
constexpr size_t kHelpIndent = 30;  // columns before the explanations

template <typename T>
std::string RangeText(T low, T high) {
  using Limits = std::numeric_limits<T>;
  const char* kind = std::is_integral_v<T> ? "a whole number" : "a number";
  if (std::is_signed_v<T> && low == Limits::lowest() && high == Limits::max()) return kind;
  if (high == Limits::max()) return fmt::format("{}, {} or more", kind, low);
  if (std::is_signed_v<T> && low == Limits::lowest()) return fmt::format("{}, {} or less", kind, high);
  return fmt::format("{} from {} to {}", kind, low, high);
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

// The bytes of "4G", "4GiB", "4GB" or "4096", which all are 4,294,967,296; nothing for other text, or beyond 16M to
// 16T.
std::optional<int64_t> ParseMemory(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  constexpr int64_t kMin = int64_t{16} << 20, kMax = int64_t{16} << 40;
  const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
  std::string_view unit = text.substr(number.size());
  int shift = 20;
  if (!unit.empty()) {
    const size_t index = kUnits.find(ToUpper(unit[0]));
    unit.remove_prefix(1);
    if (index == std::string_view::npos || !(unit.empty() || unit == "B" || unit == "iB")) return std::nullopt;
    shift = 10 * static_cast<int>(index + 1);
  }
  const auto value = ParseNumber<double>(number);
  const double bytes = value ? std::ldexp(*value, shift) : 0;
  if (!(bytes >= kMin && bytes <= kMax)) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

bool IsDevice(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  constexpr std::string_view kCuda = "cuda:";
  return text.starts_with(kCuda) && ParseNumber<uint8_t>(std::string_view(text).substr(kCuda.size())).has_value();
}

}  // namespace

CommandOptions::CommandOptions(std::string command, std::string summary, std::string example)
    : command_(std::move(command)),
      help_command_(command_),
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
requires std::is_arithmetic_v<T>
void CommandOptions::Add(const std::string& name, const std::string& value_name, T* value, const std::string& help,
                         OptionRange<T> range) {
  HS_ASSERT(*value >= range.low && *value <= range.high);
  Option& option = Declare(name, value_name, help);
  option.default_text = fmt::format("{}", *value);
  option.set = [value, range](const auto& texts) {
    const auto parsed = ParseNumber<T>(texts.front());
    // NaN fails both comparisons.
    if (!parsed || !(*parsed >= range.low && *parsed <= range.high)) {
      throw InputError(RangeText(range.low, range.high));
    }
    *value = *parsed;
  };
}

template void CommandOptions::Add(const std::string&, const std::string&, int*, const std::string&, OptionRange<int>);
template void CommandOptions::Add(const std::string&, const std::string&, int64_t*, const std::string&,
                                  OptionRange<int64_t>);
template void CommandOptions::Add(const std::string&, const std::string&, uint64_t*, const std::string&,
                                  OptionRange<uint64_t>);
template void CommandOptions::Add(const std::string&, const std::string&, double*, const std::string&,
                                  OptionRange<double>);

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

void CommandOptions::AddArguments(const std::string& value_name, std::vector<std::string>* values,
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

void CommandOptions::AddSeed(uint64_t* seed) {
  Add("seed", "N", seed, "random seed; the same seed gives the same result");
}

void CommandOptions::AddDevice(std::string* device) {
  Option& option = Declare("device", "auto|cpu|cuda|cuda:N", "device; auto: a GPU if there is one");
  option.default_text = *device;
  option.set = [device](const auto& texts) {
    if (!IsDevice(texts.front())) throw InputError("auto, cpu, cuda or cuda:N");
    *device = texts.front();
  };
}

void CommandOptions::AddMemory(const std::string& name, int64_t* bytes, const std::string& help) {
  Option& option = Declare(name, "SIZE", help);
  option.set = [bytes](const auto& texts) {
    const auto parsed = ParseMemory(texts.front());
    if (!parsed) throw InputError("a size from 16M to 16T, such as 4G (without a unit: MiB)");
    *bytes = *parsed;
  };
}

CommandOptions::Option* CommandOptions::Find(const std::string& name) {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
}

// The option of a name as parsed; `name` may be unknown.
CommandOptions::Option& CommandOptions::Match(const std::string& name) {
  if (Option* option = Find(name)) return *option;
  std::vector<std::string> names;
  names.reserve(options_.size());
  for (const Option& option : options_) names.push_back("--" + option.name);
  const std::string typed = name.starts_with('-') ? name : "--" + name;  // an unknown short one keeps its dash
  Fail(fmt::format("unknown option {}{}", typed, Suggestion(typed, names)));
}

void CommandOptions::Fail(const std::string& message) const {
  throw InputError(fmt::format("{}: {} (see haplospin {} --help)", command_, message, help_command_));
}

// The arguments after the command's name, in their order. Unknown options are among the items.
std::vector<CommandOptions::Item> CommandOptions::Split(const Arguments& arguments) const {
  po::options_description description;
  for (const Option& option : options_) {
    const std::string name = option.short_name != 0 ? option.name + "," + option.short_name : option.name;
    if (option.value_name.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::string>(), "");
    }
  }
  // Options cannot be abbreviated: an abbreviation could become ambiguous when options are added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  std::vector<Item> items;
  try {
    const po::parsed_options parsed = po::command_line_parser(Arguments(arguments.begin() + 1, arguments.end()))
                                          .options(description)
                                          .style(style)
                                          .allow_unregistered()
                                          .run();
    for (const po::option& item : parsed.options) {
      const std::string value = item.value.empty() ? "" : item.value.front();
      items.push_back({.name = item.position_key >= 0 ? "" : item.string_key, .value = value});
    }
  } catch (const po::error& error) {
    Fail(error.what());
  }
  return items;
}

bool CommandOptions::Take(const std::vector<Item>& items) {
  Option* files = nullptr;  // the option before, if it takes several files, as a shell makes them of a pattern
  for (const Item& item : items) {
    if (item.name.empty()) {
      if (arguments_ == nullptr && files != nullptr && !item.value.empty()) {
        files->values.push_back(item.value);
        continue;
      }
      if (arguments_ == nullptr) Fail(fmt::format("unexpected argument '{}'", item.value));
      if (item.value.empty()) Fail(fmt::format("{} is empty; give a value, or omit it", arguments_name_));
      arguments_->push_back(item.value);
      continue;
    }
    Option& option = Match(item.name);
    if (option.name == kHelp) return false;
    const bool takes_value = !option.value_name.empty();
    if (takes_value && item.value.empty()) Fail(fmt::format("--{} is empty; give a value, or omit it", option.name));
    if (option.IsGiven() && !option.repeatable) Fail(fmt::format("--{} is given more than once", option.name));
    option.values.push_back(item.value);
    files = option.repeatable && option.value_name == "FILE" ? &option : nullptr;
  }
  return true;
}

void CommandOptions::Apply() const {
  for (const Option& option : options_) {
    if (!option.IsGiven()) continue;
    try {
      option.set(option.values);
    } catch (const InputError& expected) {
      Fail(fmt::format("--{} is '{}', but must be {}", option.name, option.values.front(), expected.what()));
    }
  }
  for (const Option& option : options_) {
    if (option.required && !option.IsGiven()) Fail(fmt::format("--{} is missing", option.name));
  }
}

// The log begins with what was run: every option that has a value, given or by default.
void CommandOptions::StartLog(const Arguments& arguments) const {
  OpenLogFile(log_);
  LogToFile(fmt::format("haplospin {}, htslib {}", kVersion, HtslibVersion()));
  LogToFile(fmt::format("command: haplospin {}{}", command_,
                        CommandLineText({arguments.begin() + 1, arguments.end()}).substr(std::strlen("haplospin"))));
  for (const Option& option : options_) {
    const std::string value = option.IsGiven() ? fmt::format("{}", fmt::join(option.values, " ")) : option.default_text;
    if (!value.empty()) LogToFile(fmt::format("--{} {}{}", option.name, value, option.IsGiven() ? "" : " (default)"));
  }
}

// The files that are named outside the group of outputs, also within values such as NAME=FILE and panel=FILE,map=FILE.
void CommandOptions::ProtectInputs() const {
  const auto protect = [](const std::string& value) {
    ProtectFile(value);
    for (const std::string& part : SplitLists({value})) ProtectFile(part.substr(part.find('=') + 1));
  };
  for (const Option& option : options_) {
    if (option.IsInput()) std::ranges::for_each(option.values, protect);
  }
  if (arguments_ != nullptr) std::ranges::for_each(*arguments_, protect);
}

bool CommandOptions::Parse(const Arguments& arguments) {
  HS_ASSERT(!arguments.empty());
  Group(kCommonGroup);
  Add("threads", "N", &threads_, "threads to use", {1, std::max(kMaxThreads, threads_)});
  AddFlag("quiet,q", &quiet_, "print warnings and errors only");
  Add("log", "FILE", &log_, "write versions, settings, all messages and progress to a file");
  Declare(fmt::format("{},h", kHelp), "", "print this help");

  if (!Take(Split(arguments))) {
    PrintOutput(HelpText());
    return false;
  }
  Apply();
  ProtectInputs();
  if (!log_.empty()) StartLog(arguments);
  SetThreads(threads_);
  SetQuiet(quiet_);
  BeginRun();
  return true;
}

bool CommandOptions::IsGiven(const std::string& name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  HS_ASSERT(found != options_.end());
  return found->IsGiven();
}

std::vector<std::string> CommandOptions::InputFiles(std::span<const std::string_view> except) const {
  std::vector<std::string> files;
  for (const Option& option : options_) {
    if (!option.IsInput() || std::ranges::find(except, option.name) != except.end()) continue;
    std::ranges::copy_if(option.values, std::back_inserter(files),
                         [](const std::string& path) { return std::filesystem::is_regular_file(path); });
  }
  return files;
}

bool CommandOptions::Option::IsInput() const {
  return group != kOutputGroup && name != "log" && value_name.find("FILE") != std::string::npos;
}

std::string CommandOptions::Option::NameAndValue() const {
  std::string text = short_name != 0 ? fmt::format("  -{}, ", short_name) : "      ";
  text += "--" + name;
  return value_name.empty() ? text : text + " " + value_name;
}

std::string CommandOptions::Option::Explanation() const {
  std::string text = help;
  if (required) text += " (required)";
  if (repeatable) text += " (may be repeated)";
  return default_text.empty() ? text : text + fmt::format(" [{}]", default_text);
}

std::string CommandOptions::HelpText() const {
  const std::string arguments = arguments_ == nullptr ? "" : fmt::format(" [{}...]", arguments_name_);
  std::string text = fmt::format("{}\n\nUsage: haplospin {} [options]{}\nExample: {}\n", Wrap(summary_, 0), command_,
                                 arguments, example_);
  if (arguments_ != nullptr) text += fmt::format("\n{}: {}\n", arguments_name_, arguments_help_);
  std::string group;
  for (const Option& option : options_) {
    if (option.group != group) text += fmt::format("\n{}:\n", group = option.group);
    const std::string left = option.NameAndValue();
    text += left.size() + 2 <= kHelpIndent ? fmt::format("{:<{}}", left, kHelpIndent)
                                           : left + "\n" + std::string(kHelpIndent, ' ');
    text += Wrap(option.Explanation(), kHelpIndent) + "\n";
  }
  return text;
}

}  // namespace haplospin
