#include "cli/options/subcommands.h"

#include <fmt/format.h>

#include "cli/options/suggestion.h"
#include "core/output_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::string HelpText(const std::string& name, const std::string& summary, const std::vector<Subcommand>& subcommands) {
  std::string text = fmt::format("haplospin {}: {}\n\nUsage: haplospin {} COMMAND [options]\n\n", name, summary, name);
  for (const Subcommand& command : subcommands) text += fmt::format("  {:<14}{}\n", command.name, command.help);
  return text + fmt::format("\n'haplospin {} COMMAND --help' shows a command's options.\n", name);
}

}  // namespace

int RunSubcommand(const Arguments& arguments, const std::string& summary, const std::vector<Subcommand>& subcommands) {
  const std::string& name = arguments.at(0);
  if (arguments.size() < 2 || arguments[1] == "--help" || arguments[1] == "-h") {
    PrintOutput(HelpText(name, summary, subcommands));
    return 0;
  }
  std::vector<std::string> names;
  for (const Subcommand& command : subcommands) {
    if (arguments[1] == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    names.push_back(command.name);
  }
  throw InputError(fmt::format("{}: unknown command '{}'{} (run haplospin {} without arguments for a list)", name,
                               arguments[1], Suggestion(arguments[1], names), name));
}

}  // namespace haplospin
