#include "cli/tabular/pretrained_arguments.h"

#include <fmt/format.h>

#include <optional>

#include "cli/options/name_list.h"
#include "core/group_digits.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "haplospin/errors.h"
#include "tabular/target_check.h"

namespace haplospin {

void PretrainedArguments::Declare(CommandOptions& options) {
  options.Add("target,t", "NAME", &choices.targets, "column to predict");
  options.Add("categorical", "NAME", &choices.categorical, "categorical column, even if its values are numbers");
  options.Add("numeric", "NAME", &choices.numeric, "numeric column");
  options.Add("ignore", "NAME", &choices.ignore, "column to ignore");
  options.Add("pretrained", "FILE", &network_, "network of pretrain that corrects the prediction [none]");
  options.Add("views", "N", &views_, "random passes of that network to average", {1, 64});
  options.Add("quantiles", "LIST", &quantiles_,
              "for a numeric target: quantiles to add to the output, such as 0.05,0.5,0.95");
  options.AddSeed(&seed_);
}

InContextSettings PretrainedArguments::Settings() const {
  InContextSettings settings{.views = views_, .seed = static_cast<uint64_t>(seed_), .quantiles = {}};
  for (const std::string& text : SplitLists(quantiles_)) {
    const std::optional<double> quantile = ParseNumber<double>(text);
    if (!quantile || !(*quantile > 0 && *quantile < 1)) {
      throw InputError(fmt::format("--quantiles: '{}' is not a number between 0 and 1", text));
    }
    settings.quantiles.push_back(*quantile);
  }
  return settings;
}

void PretrainedArguments::Check(const std::string& model, const std::string& context) const {
  if (views_ != InContextSettings().views && network_.empty()) throw InputError("--views is for --pretrained");
  if (!model.empty()) {
    if (choices.targets.empty() && network_.empty() && quantiles_.empty()) return;
    throw InputError(
        "--target, --pretrained and --quantiles are for predictions without a model; omit them or --weights");
  }
  if (!context.empty() && !choices.targets.empty()) return;
  throw InputError("give --weights with a model file of train, or --context and --target to predict without one");
}

Table ReadContextTable(const std::string& path, const CsvFormat& format, const TableChoices& choices) {
  TypedTable typed = ReadTable(path, format, choices);
  Table& table = typed.table;
  LogInfo("{}: {} rows, {} columns", path, table.rows(), table.columns.size());
  for (const std::string& note : typed.notes) LogWarning("{}: {}", path, note);
  CheckTargets(table, choices.targets, LabeledRows(table, choices.targets));
  if (std::ssize(table.lines) > kMaxInContextRows) {
    LogWarning("{}: {} of its {} rows are used, evenly spaced ones; haplospin tabular train learns from all", path,
               GroupDigits(static_cast<size_t>(kMaxInContextRows)), GroupDigits(table.rows()));
  }
  const auto features = std::ssize(table.columns) - std::ssize(choices.targets);
  if (features == 0) throw InputError(path + ": no columns except the targets; there is nothing to predict from");
  if (features > kMaxInContextColumns) {
    throw InputError(
        fmt::format("{}: {} columns, but predictions without a model take at most {}; name some as "
                    "--ignore, or use haplospin tabular train",
                    path, features, kMaxInContextColumns));
  }
  for (const std::string& name : choices.targets) {
    const Column& column = *table.Find(name);
    if (std::ssize(column.categories) <= kMaxInContextClasses) continue;
    throw InputError(
        fmt::format("{}: target '{}' has {} classes, but predictions without a model take at most {}; use "
                    "haplospin tabular train",
                    path, name, column.categories.size(), kMaxInContextClasses));
  }
  return std::move(table);
}

}  // namespace haplospin
