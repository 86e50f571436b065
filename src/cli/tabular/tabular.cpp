// haplospin tabular, hopular, npt, spin, set-transformer: the same three sub-commands.
#include "cli/tabular/tabular.h"

#include <fmt/format.h>

#include <vector>

#include "cli/options/suggestion.h"
#include "cli/torch_commands.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

struct Subcommand {
  const char* name;
  const char* help;
  CommandFunction run;
};

const std::vector<Subcommand> kSubcommands = {
    {"train", "learns to predict columns of a table; writes a model file", TabularTrainCommand},
    {"predict", "predicts those columns for other rows", TabularPredictCommand},
    {"evaluate", "says how good such predictions are, by cross-validation", TabularEvaluateCommand},
};

}  // namespace

int TabularCommand(const Arguments& arguments) {
  const std::string& name = arguments.at(0);
  if (arguments.size() < 2 || arguments[1] == "--help" || arguments[1] == "-h") {
    fmt::print("haplospin {}: learns from tables\n\nUsage: haplospin {} COMMAND [options]\n\n", name, name);
    for (const Subcommand& command : kSubcommands) fmt::print("  {:<14}{}\n", command.name, command.help);
    fmt::print("\n'haplospin {} COMMAND --help' shows a command's options.\n", name);
    return 0;
  }
  std::vector<std::string> names;
  for (const Subcommand& command : kSubcommands) {
    if (arguments[1] == command.name) return command.run(arguments);
    names.push_back(command.name);
  }
  throw InputError(fmt::format("{}: unknown command '{}'{} (haplospin {} alone lists the commands)", name, arguments[1],
                               Suggestion(arguments[1], names), name));
}

}  // namespace haplospin
