#include "cli/learning/np/np_tasks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

#include "cli/options/name_list.h"
#include "core/log.h"
#include "haplospin/errors.h"
#include "learning/processes/gp_tasks.h"
#include "learning/tables/table.h"

namespace haplospin {
namespace {

const std::initializer_list<const char*> kGpOptions = {
    "setting", "kernels", "lengthscale",    "gp-noise",    "inputs",
    "shift",   "bimodal", "context-points", "standardize", "targets-per-task"};
const std::initializer_list<const char*> kCsvOptions = {"data",          "x",        "y",         "group",
                                                        "context-share", "hold-out", "max-points"};

std::array<double, 2> ParsePair(const std::string& text, const std::string& option, const char* expected) {
  const std::vector<std::string> parts = SplitLists({text});
  std::array<double, 2> pair{};
  const bool good = (parts.size() == 1 || parts.size() == 2) && ParseNumber(parts.front(), pair[0]) &&
                    ParseNumber(parts.back(), pair[1]) && pair[0] <= pair[1];
  if (!good) throw InputError(fmt::format("--{} {}: expected {}", option, text, expected));
  return pair;
}

// Parses "LOW,HIGH", or one number for both. Throws InputError, naming the option.
RealRange ParseRealRange(const std::string& text, const std::string& option) {
  const auto pair = ParsePair(text, option, "LOW,HIGH with LOW not above HIGH");
  return {pair[0], pair[1]};
}

IntegerRange ParseIntegerRange(const std::string& text, const std::string& option) {
  constexpr const char* kExpected = "LOW,HIGH, whole numbers from 0 to 1000000";
  const auto pair = ParsePair(text, option, kExpected);
  if (pair[0] < 0 || pair[1] > 1e6 || pair[0] != std::floor(pair[0]) || pair[1] != std::floor(pair[1])) {
    throw InputError(fmt::format("--{} {}: expected {}", option, text, kExpected));
  }
  return {static_cast<int64_t>(pair[0]), static_cast<int64_t>(pair[1])};
}

GpTaskOptions GpOptions(const TaskArguments& a) {
  GpTaskOptions gp = a.setting == "ipnp" ? GpTaskOptions::Ipnp() : GpTaskOptions();
  if (!a.kernels.empty()) {
    gp.kernels.clear();
    for (const std::string& name : SplitLists({a.kernels})) gp.kernels.push_back(ParseGpKernel(name));
  }
  if (!a.lengthscale.empty()) gp.lengthscale = ParseRealRange(a.lengthscale, "lengthscale");
  if (!a.noise.empty()) gp.noise = ParseRealRange(a.noise, "gp-noise");
  if (!a.context.empty()) gp.context = ParseIntegerRange(a.context, "context-points");
  if (!a.targets.empty()) gp.targets = ParseIntegerRange(a.targets, "targets-per-task");
  gp.inputs = a.inputs;
  gp.bimodal = a.bimodal;
  gp.standardize = a.standardize;
  gp.shift = a.shift;
  return gp;
}

void CheckGiven(const TaskArguments& a, const CommandOptions& options) {
  const bool is_gp = a.task == "gp";
  for (const char* option : is_gp ? kCsvOptions : kGpOptions) {
    if (!options.IsGiven(option)) continue;
    throw InputError(fmt::format("--{} belongs to --task {}, not to --task {}", option, is_gp ? "csv" : "gp", a.task));
  }
}

// The groups to test: those that the model was not trained on, or the share of --hold-out. What was not trained on the
// table is tested on all of it.
void ChooseTestGroups(const TaskArguments& a, const CommandOptions& options, const PointTable& table,
                      const PointColumns& names, const ProcessModel* model, CsvTaskOptions& csv) {
  if (names.group.empty()) return;
  const bool is_old = model != nullptr && model->scaling && model->groups.empty();  // does not say what it has seen
  if ((options.IsGiven("hold-out") || is_old) && a.hold_out > 0) csv.part = GroupPart::kHeldOut;
  if (model == nullptr) return;
  const std::set<std::string> seen(model->groups.begin(), model->groups.end());
  std::vector<std::string> known;
  for (const std::string& group : table.groups) {
    if (seen.contains(group)) known.push_back(group);
  }
  if (known.empty()) return;
  if (options.IsGiven("hold-out") && a.hold_out == 0) {
    LogWarning(
        "{}: {} groups have names of groups that the model was trained on, such as '{}'; if they are the same, "
        "the figures are too good",
        a.data, known.size(), known.front());
    return;
  }
  if (known.size() == table.groups.size()) {
    throw InputError(
        fmt::format("{}: the model was trained on all of its groups, such as '{}'; evaluate it on others "
                    "(--hold-out 0 if only the names are the same)",
                    a.data, known.front()));
  }
  csv.left_out = seen;
  const std::string message = fmt::format("{}: {} groups that the model was trained on are left out, such as '{}'",
                                          a.data, known.size(), known.front());
  options.IsGiven("hold-out") ? LogWarning("{}", message) : LogInfo("{}", message);
}

std::unique_ptr<TaskSource> MakeCsvTasks(const TaskArguments& a, const CommandOptions& options, bool for_training,
                                         const ProcessModel* model) {
  if (a.data.empty()) throw InputError("--task csv needs --data");
  PointColumns names = MakePointColumns(a.columns);
  if (model != nullptr && !model->columns.x.empty()) {
    if (!options.IsGiven("x")) names.x = model->columns.x;
    if (!options.IsGiven("y")) names.y = model->columns.y;
    if (!options.IsGiven("group")) names.group = model->columns.group;
  }
  if (names.x.empty() || names.y.empty()) throw InputError("--task csv needs at least one column in --x and in --y");
  const PointTable table = ReadPoints(a.data, names);
  if (table.left_out > 0) LogWarning("{}: {} rows with missing values are omitted", a.data, table.left_out);
  WarnAboutKnownOutputs(table, names);
  CsvTaskOptions csv{.max_points = a.max_points, .hold_out = a.hold_out};
  if (for_training) {
    csv.part = names.group.empty() || a.hold_out == 0 ? GroupPart::kAll : GroupPart::kTraining;
  } else {
    ChooseTestGroups(a, options, table, names, model, csv);
  }
  if (!a.share.empty()) csv.context = ParseRealRange(a.share, "context-share");
  std::optional<DataScaling> scaling;
  if (model != nullptr) scaling = model->scaling;
  if (!scaling && !for_training) scaling = ScalingAsContext(table);
  auto tasks = std::make_unique<CsvTasks>(table, names, csv, scaling);
  if (for_training && tasks->num_groups() < 2) {
    throw InputError(
        fmt::format("{}: {} group{} of rows to train on, but a neural process learns from many: name the column that "
                    "tells them apart with --group; to "
                    "predict from one group, use haplospin np predict without --weights",
                    a.data, tasks->num_groups(), tasks->num_groups() == 1 ? "" : "s"));
  }
  if (tasks->num_single() > 0) {
    LogWarning("{}: {} groups of one row are omitted; a task needs two rows", a.data, tasks->num_single());
  }
  return tasks;
}

}  // namespace

void WarnAboutKnownOutputs(const PointTable& table, const PointColumns& names) {
  constexpr size_t kMinRows = 3;
  if (table.num_rows() < kMinRows) return;
  for (size_t i = 0; i < table.dx; ++i) {
    for (size_t j = 0; j < table.dy; ++j) {
      bool is_equal = true;
      for (size_t row = 0; row < table.num_rows() && is_equal; ++row) {
        const double x = table.x[row * table.dx + i], y = table.y[row * table.dy + j];
        is_equal = std::abs(x - y) <= 1e-9 * std::max(std::abs(x), std::abs(y));
      }
      if (!is_equal) continue;
      LogWarning("{}: input '{}' equals output '{}' in every row, so that nothing is left to predict", table.path,
                 names.x[i], names.y[j]);
    }
  }
}

std::unique_ptr<TaskSource> MakeTaskSource(const TaskArguments& a, const CommandOptions& options, bool for_training,
                                           const ProcessModel* model) {
  CheckGiven(a, options);
  if (a.task == "gp") return std::make_unique<GpTasks>(GpOptions(a));
  return MakeCsvTasks(a, options, for_training, model);
}

PredictorOptions MakePredictorOptions(const PredictorArguments& arguments) {
  PredictorOptions options = arguments.predictor;
  options.gp_kernel = ParseGpKernel(arguments.gp_kernel);
  return options;
}

void CheckPredictorOptions(const ChosenPredictor& chosen, const CommandOptions& options) {
  const auto check = [&](const char* option, std::initializer_list<std::string_view> models) {
    if (!options.IsGiven(option) || std::ranges::find(models, chosen.name) != models.end()) return;
    throw InputError(
        fmt::format("--{} is for {}, but {} predicts; omit it", option, fmt::join(models, ", "), chosen.name));
  };
  check("gp-kernel", {"gp"});
  check("test-samples", {"anp", "banp", "ipnp"});
}

void SayDefault(const ChosenPredictor& chosen) {
  if (!chosen.is_default || chosen.name != "gp") return;
  LogInfo("without --weights, a Gaussian process is fitted to each context; --model te-tnp predicts by a network");
}

size_t NumInputs(const TaskArguments& a) {
  return a.task == "gp" ? static_cast<size_t>(a.inputs) : MakePointColumns(a.columns).x.size();
}

PointColumns MakePointColumns(const ColumnArguments& a) { return {SplitLists({a.x}), SplitLists({a.y}), a.group}; }

}  // namespace haplospin
