// haplospin tabular, hopular, npt: the same three sub-commands.
#include "cli/tabular/tabular.h"

#include "cli/options/subcommands.h"
#include "cli/torch_commands.h"

namespace haplospin {

int TabularCommand(const Arguments& arguments) {
  // The sub-commands get the whole command line, because the name of the command may be that of a model.
  const auto whole = [&](CommandFunction run) { return [&, run](const Arguments&) { return run(arguments); }; };
  return RunSubcommand(
      arguments, "learns from tables",
      {{"train", "trains a model that predicts columns of a table", whole(TabularTrainCommand)},
       {"predict", "predicts these columns for other rows", whole(TabularPredictCommand)},
       {"evaluate", "estimates the accuracy of predictions by cross-validation", whole(TabularEvaluateCommand)}});
}

}  // namespace haplospin
