// The list of commands, and the reporting of errors.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/learning/torch/torch_library.h"
#include "cli/options/command.h"
#include "cli/options/commands.h"
#include "cli/options/error_report.h"
#include "core/output_file.h"
#include "core/signals.h"
#include "genotypes/genomics/instruction_set.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

// Opens the standard streams that are closed, so that no other file gets their descriptors and is mixed with messages.
// Reading from such an input and writing to such an output fail.
void OpenClosedStandardStreams() {
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};  // a use of standard input or output fails
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    // open() returns the lowest descriptor that is free, and the lower ones are open by now.
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", kModes[descriptor]) < 0) return;
  }
}

struct Command {
  const char* name;
  const char* group;
  const char* help;
  CommandFunction run;
};

// The commands in the order of the help; those of a group are adjacent.
const std::vector<Command> kCommands = {
    {"impute", "Imputation", "imputes the untyped genotypes of a study from a reference panel", ImputeCommand},
    {"phase", "Imputation", "finds the haplotypes of a study", PhaseCommand},
    {"check", "Imputation", "reports how well a study matches a panel, and writes a corrected copy", CheckCommand},
    {"concat", "Imputation", "joins separately imputed regions of a chromosome", ConcatCommand},
    {"merge", "Imputation", "merges imputed batches of samples, with DR2 of all", MergeCommand},
    {"panel", "Imputation", "converts a panel to a compact file that loads fast, and back", PanelCommand},
    {"train", "Imputation", "trains the imputer, SPIN, NPT or a Set Transformer on phased panels", TrainCommand},
    {"evaluate", "Accuracy", "compares imputed genotypes with the truth", EvaluateCommand},
    {"mask", "Accuracy", "makes a benchmark from a panel: reference, study and truth", MaskCommand},
    {"selfcheck", "Accuracy", "compares the dosages and the speed of a GPU with the CPU's", SelfcheckCommand},
    {"tabular", "Tables and neural processes", "learns from CSV files: train, predict, evaluate", TabularCommand},
    {"hopular", "Tables and neural processes",
     "the same with --model hopular: Hopfield networks that store the training set", TabularCommand},
    {"npt", "Tables and neural processes", "the same with --model npt: the non-parametric transformer", TabularCommand},
    {"np", "Tables and neural processes", "trains, predicts and evaluates neural processes (train, predict, evaluate)",
     NpCommand},
    {"te-tnp", "Tables and neural processes",
     "np with the translation equivariant transformer; predicts curves without training", TeTnpCommand},
    {"ipnp", "Tables and neural processes", "np with the inducing point neural process, for large contexts",
     IpnpCommand},
};

std::string HelpText() {
  std::string text = fmt::format(
      "haplospin {}: genotype imputation with neural processes\n\nUsage: haplospin COMMAND [options]\n", kVersion);
  std::string group;
  for (const Command& command : kCommands) {
    if (group != command.group) {
      group = command.group;
      text += fmt::format("\n{}:\n", group);
    }
    text += fmt::format("  {:<11}{}\n", command.name, command.help);
  }
  return text + "\n'haplospin COMMAND --help' shows a command's options, 'haplospin --version' the versions.\n";
}

std::string TorchVersion() {
  try {
    return LoadTorchLibrary().torch_version;
  } catch (const InputError&) {
    return "not installed";
  }
}

const Command& FindCommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (name == command.name) return command;
    names.push_back(command.name);
  }
  throw InputError(fmt::format("unknown command '{}'{} (run haplospin without arguments for a list)", name,
                               Suggestion(name, names)));
}

int Run(const Arguments& arguments) {
  LimitInstructionSetByEnvironment();
  const std::string first = arguments.empty() ? "--help" : arguments[0];
  if (first == "help" && arguments.size() > 1) return FindCommand(arguments[1]).run({arguments[1], "--help"});
  if (first == "--help" || first == "-h" || first == "help") {
    PrintOutput(HelpText());
    return kGood;
  }
  if (first == "--version" || first == "version") {
    PrintOutput(fmt::format("haplospin {}\nhtslib {}\ntorch {}\nvector instructions {}\n", kVersion, HtslibVersion(),
                            TorchVersion(), InstructionSet()));
    return kGood;
  }
  return FindCommand(arguments[0]).run(arguments);
}

}  // namespace
}  // namespace haplospin

int main(int argc, char** argv) {
  haplospin::OpenClosedStandardStreams();
  haplospin::InstallSignalHandlers();
  const haplospin::Arguments arguments(argv + 1, argv + argc);
  return haplospin::RunAndReport([&] { return haplospin::Run(arguments); });
}
