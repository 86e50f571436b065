#include "cli/options/subcommands.h"

#include <fmt/format.h>

#include "cli/options/suggestion.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

void PrintSubcommands(const std::string& name, const std::string& summary, const std::vector<Subcommand>& subcommands) {
  fmt::print("haplospin {}: {}\n\nUsage: haplospin {} COMMAND [options]\n\n", name, summary, name);
  for (const Subcommand& command : subcommands) fmt::print("  {:<14}{}\n", command.name, command.help);
  fmt::print("\n'haplospin {} COMMAND --help' shows a command's options.\n", name);
}

}  // namespace

int RunSubcommand(const Arguments& arguments, const std::string& summary, const std::vector<Subcommand>& subcommands) {
  const std::string& name = arguments.at(0);
  if (arguments.size() < 2 || arguments[1] == "--help" || arguments[1] == "-h") {
    PrintSubcommands(name, summary, subcommands);
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
