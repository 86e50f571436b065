// haplospin train: calls the command of the architecture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/name_list.h"
#include "cli/torch_commands.h"
#include "cli/train/train_commands.h"
#include "haplospin/errors.h"
#include "models/architecture.h"

namespace haplospin {
namespace {

constexpr char kImputer[] = "imputer";

// The imputer, and the networks for windows of tokens.
std::vector<std::string> TrainableNames() {
  std::vector<std::string> names = WindowArchitectureNames();
  names.insert(names.begin(), kImputer);
  return names;
}

// The value of --arch, before the options are parsed.
std::string RequestedArchitecture(const Arguments& arguments) {
  const std::string name = "--arch";
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(name + "=")) return arguments[i].substr(name.size() + 1);
  }
  return kImputer;
}

}  // namespace

int TrainCommand(const Arguments& arguments) {
  const std::string architecture = RequestedArchitecture(arguments);
  if (architecture == kImputer) return TrainImputerCommand(arguments);
  const Architecture* found = FindArchitecture(architecture);
  if (found != nullptr && found->imputes_windows) return TrainTokensCommand(arguments, architecture);
  throw InputError(fmt::format("train: --arch is '{}', but must be one of {} (see haplospin train --help)",
                               architecture, fmt::join(TrainableNames(), ", ")));
}

void AddArchitecture(CommandOptions& options, std::string* architecture) {
  options.Group("Architecture");
  options.AddChoice("arch", architecture, TrainableNames(), "architecture to train; each has its own options");
}

std::unordered_set<std::string> ReadNames(const std::string& path) {
  if (path.empty()) return {};
  const std::vector<std::string> names = ReadNameList(path, "expected a file with a sample name per line");
  return {names.begin(), names.end()};
}

}  // namespace haplospin
