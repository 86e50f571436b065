#include "cli/options/command_line.h"

#include <boost/program_options.hpp>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

namespace po = boost::program_options;

po::options_description Describe(const std::vector<CommandOption>& options) {
  po::options_description description;
  for (const CommandOption& option : options) {
    const std::string name = option.short_name != 0 ? option.name + "," + option.short_name : option.name;
    if (option.value_name.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::string>(), "");
    }
  }
  return description;
}

}  // namespace

std::vector<CommandLineItem> SplitCommandLine(const Arguments& arguments, const std::vector<CommandOption>& options) {
  const po::options_description description = Describe(options);
  // Options cannot be abbreviated: an abbreviation could become ambiguous when options are added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  std::vector<CommandLineItem> items;
  try {
    const po::parsed_options parsed =
        po::command_line_parser(std::vector<std::string>(arguments.begin() + 1, arguments.end()))
            .options(description)
            .style(style)
            .allow_unregistered()
            .run();
    for (const po::option& item : parsed.options) {
      const std::string value = item.value.empty() ? "" : item.value.front();
      items.push_back({.name = item.position_key >= 0 ? "" : item.string_key, .value = value});
    }
  } catch (const po::error& error) {
    throw InputError(error.what());
  }
  return items;
}

}  // namespace haplospin
