// haplospin train: hands on to the architecture's own command.
#include "cli/options/name_list.h"
#include "cli/torch_commands.h"
#include "cli/train/train_commands.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr char kNames[] = "imputer, spin, npt, set-transformer";

// The value of --arch, before the options are parsed.
std::string ArchitectureOf(const Arguments& arguments) {
  const std::string name = "--arch";
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(name + "=")) return arguments[i].substr(name.size() + 1);
  }
  return "imputer";
}

}  // namespace

int TrainCommand(const Arguments& arguments) {
  const std::string architecture = ArchitectureOf(arguments);
  const bool is_table = architecture == "spin" || architecture == "npt" || architecture == "set-transformer";
  if (is_table) return TrainTokensCommand(arguments);
  if (architecture == "imputer") return TrainImputerCommand(arguments);
  throw InputError("train: --arch is '" + architecture + "', but must be one of " + kNames +
                   " (see haplospin train --help)");
}

void AddArchitecture(CommandOptions& options, std::string* architecture) {
  options.Group("Architecture");
  options.AddChoice("arch", architecture, {"imputer", "spin", "npt", "set-transformer"},
                    "what to train; each has its own options");
}

std::unordered_set<std::string> ReadNames(const std::string& path) {
  if (path.empty()) return {};
  const std::vector<std::string> names = ReadNameList(path, "expected a file with a sample name per line");
  return {names.begin(), names.end()};
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

}  // namespace haplospin
