#include "cli/options/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/output_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Levenshtein distance: insertions, deletions and substitutions.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string HelpText(const std::string& name, const std::string& summary, const std::vector<Subcommand>& subcommands) {
  std::string text = fmt::format("haplospin {}: {}\n\nUsage: haplospin {} COMMAND [options]\n\n", name, summary, name);
  for (const Subcommand& command : subcommands) text += fmt::format("  {:<14}{}\n", command.name, command.help);
  return text + fmt::format("\n'haplospin {} COMMAND --help' shows a command's options.\n", name);
}

}  // namespace

std::string Suggestion(const std::string& typed, const std::vector<std::string>& names) {
  std::string closest;
  size_t smallest = std::max<size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : names) {
    const size_t distance = EditDistance(typed, name);
    if (distance < smallest) {
      smallest = distance;
      closest = name;
    }
  }
  return closest.empty() ? "" : "; did you mean " + closest + "?";
}

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
