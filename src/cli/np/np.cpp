// haplospin np train|predict|evaluate|simulate, and its short forms te-tnp and ipnp: neural processes.
#include "cli/np/np.h"

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
  int (*run)(const Arguments&, const std::string&);
};

const std::vector<Subcommand> kSubcommands = {
    {"train", "trains a model on simulated tasks, images, flows or your own table", NpTrainCommand},
    {"predict", "draws a function with its uncertainty through your own points", NpPredictCommand},
    {"evaluate", "log-likelihood, calibration and error on tasks that were not trained on", NpEvaluateCommand},
    {"simulate", "writes trajectories of a Kolmogorov flow, for --task kolmogorov", NpSimulateCommand},
};

int Dispatch(const Arguments& arguments, const std::string& model) {
  const std::string& name = arguments.at(0);
  if (arguments.size() < 2 || arguments[1] == "--help" || arguments[1] == "-h") {
    fmt::print("haplospin {}: neural processes, regression that knows what it does not know\n\n", name);
    fmt::print("Usage: haplospin {} COMMAND [options]\n\n", name);
    for (const Subcommand& command : kSubcommands) fmt::print("  {:<14}{}\n", command.name, command.help);
    fmt::print("\n'haplospin {} COMMAND --help' shows a command's options.\n", name);
    return 0;
  }
  std::vector<std::string> names;
  for (const Subcommand& command : kSubcommands) {
    if (arguments[1] == command.name) return command.run({arguments.begin() + 1, arguments.end()}, model);
    names.push_back(command.name);
  }
  throw InputError(fmt::format("{}: unknown command '{}'{} (haplospin {} alone lists the commands)", name, arguments[1],
                               Suggestion(arguments[1], names), name));
}

}  // namespace

int NpCommand(const Arguments& arguments) { return Dispatch(arguments, ""); }
int TeTnpCommand(const Arguments& arguments) { return Dispatch(arguments, "te-tnp"); }
int IpnpCommand(const Arguments& arguments) { return Dispatch(arguments, "ipnp"); }

}  // namespace haplospin
