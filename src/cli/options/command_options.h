// The options of one command: declared once, checked before any work, shown by --help.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/options/command.h"
#include "haplospin/errors.h"

namespace haplospin {

// The values an option may take, both ends included.
template <typename T>
struct OptionRange {
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();
};

// Use: construct, declare (each option fills a variable whose present value is the default), then Parse().
//
//   std::string ref;
//   double window_cm = 40;
//   CommandOptions options("impute", "Imputes untyped genotypes.", "haplospin impute --ref p.bcf --target s.vcf.gz");
//   options.Group("Input");
//   options.Require("ref,r", "FILE", &ref, "phased reference panel (VCF or BCF)");
//   options.Group("Windows");
//   options.Add("window", "CM", &window_cm, "length of a window in cM", {1, 1000});
//   if (!options.Parse(arguments)) return 0;
//
// --help, --threads, --quiet and --log are there for every command. A name may carry a short form: "output,o".
class CommandOptions {
 public:
  CommandOptions(std::string command, std::string summary, std::string example);

  // Sets the command that messages name for --help, if options depend on others, as in "train --arch spin".
  void SetHelpCommand(std::string command) { help_command_ = std::move(command); }

  // Title of the options declared from here on. FILE options of all groups but "Output" are inputs, which no output may
  // replace.
  void Group(std::string title);

  void Add(const std::string& name, const std::string& value_name, std::string* value, const std::string& help);
  template <typename T>
  requires std::is_arithmetic_v<T>  // int, int64_t, uint64_t or double
  void Add(const std::string& name, const std::string& value_name, T* value, const std::string& help,
           OptionRange<T> range = {});
  // The option may be given several times; the values given replace the default. A FILE option takes all values up to
  // the next option, if the command has no arguments.
  void Add(const std::string& name, const std::string& value_name, std::vector<std::string>* values,
           const std::string& help);

  // Adds an option that must be given.
  void Require(const std::string& name, const std::string& value_name, std::string* value, const std::string& help);
  void Require(const std::string& name, const std::string& value_name, std::vector<std::string>* values,
               const std::string& help);

  // Accepts any number of positional arguments.
  void AddArguments(const std::string& value_name, std::vector<std::string>* values, const std::string& help);

  // Adds an option that takes one of `choices`.
  void AddChoice(const std::string& name, std::string* value, std::vector<std::string> choices,
                 const std::string& help);

  // Adds an option without a value.
  void AddFlag(const std::string& name, bool* value, const std::string& help);

  // The default shown by --help for an option whose default depends on other options.
  void ShowDefault(const std::string& name, std::string text);

  // Options that several commands share.
  void AddSeed(uint64_t* seed);
  void AddDevice(std::string* device);

  // Adds an option that takes an amount of memory: 4G, 4000M, or MiB without a unit.
  void AddMemory(const std::string& name, int64_t* bytes, const std::string& help);

  // Fills the variables and sets the threads and quietness of the process. Returns false after printing --help. Throws
  // InputError for an unknown, repeated or missing option, or a value that is malformed or out of range. Call it once.
  bool Parse(const Arguments& arguments);

  // True if the user gave the option. Call it after Parse().
  bool IsGiven(const std::string& name) const;

  // Throws InputError for the first of these options that the user gave; `message` has its name and `more`.
  template <typename... More>
  void Refuse(std::initializer_list<const char*> names, fmt::format_string<const char*&, const More&...> message,
              const More&... more) const {
    for (const char* name : names) {
      if (IsGiven(name)) throw InputError(fmt::format(message, name, more...));
    }
  }

  // Returns the files that were given as inputs, besides those of some options. Call it after Parse().
  std::vector<std::string> InputFiles(std::span<const std::string_view> except) const;

  std::string HelpText() const;

 private:
  struct Option {
    std::string group;
    std::string name;
    char short_name = 0;
    std::string value_name;  // empty: a flag
    std::string help;
    std::string default_text;  // empty: not shown
    bool required = false;
    bool repeatable = false;
    std::vector<std::string> values;  // given on the command line; a flag has one empty text
    std::function<void(const std::vector<std::string>& texts)> set;  // throws InputError with what was expected

    bool IsGiven() const { return !values.empty(); }
    bool IsInput() const;  // whether its value names an input file

    // The two columns of --help.
    std::string NameAndValue() const;
    std::string Explanation() const;
  };

  // An argument of the command line as it was parsed; only options have a name.
  struct Item {
    std::string name;   // has no dashes if the option is known
    std::string value;  // empty for a flag
  };

  Option& Declare(const std::string& name, const std::string& value_name, const std::string& help);
  Option* Find(const std::string& name);
  Option& Match(const std::string& name);
  std::vector<Item> Split(const Arguments& arguments) const;
  bool Take(const std::vector<Item>& items);  // false if --help is among them
  void Apply() const;
  void ProtectInputs() const;
  void StartLog(const Arguments& arguments) const;
  [[noreturn]] void Fail(const std::string& message) const;

  const std::string command_;
  std::string help_command_;  // the command whose --help shows these options
  const std::string summary_;
  const std::string example_;
  std::string group_ = "Options";
  std::vector<Option> options_;
  std::string arguments_name_;  // empty: the command takes none
  std::string arguments_help_;
  std::vector<std::string>* arguments_ = nullptr;
  bool quiet_ = false;
  std::string log_;
  int threads_;
};

}  // namespace haplospin
