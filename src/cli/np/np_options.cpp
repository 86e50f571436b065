#include "cli/np/np_options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "core/log.h"
#include "haplospin/errors.h"
#include "processes/csv_tasks.h"
#include "processes/gp_tasks.h"
#include "tables/table.h"

namespace haplospin {
namespace {

const std::initializer_list<const char*> kGpOptions = {
    "setting", "kernels",   "lengthscale", "scale",          "gp-noise",    "inputs",          "shift",
    "bimodal", "context-x", "target-x",    "context-points", "standardize", "targets-per-task"};
const std::initializer_list<const char*> kCsvOptions = {"data",          "x",        "y",         "group",
                                                        "context-share", "hold-out", "max-points"};

std::array<double, 2> ParsePair(const std::string& text, const std::string& option, const char* expected) {
  const std::vector<std::string> parts = SplitList(text);
  std::array<double, 2> pair{};
  const bool good = (parts.size() == 1 || parts.size() == 2) && ParseNumber(parts.front(), pair[0]) &&
                    ParseNumber(parts.back(), pair[1]) && pair[0] <= pair[1];
  if (!good) throw InputError(fmt::format("--{} {}: expected {}", option, text, expected));
  return pair;
}

// "LOW,HIGH", or one number for both. Throws InputError, naming the option.
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
    for (const std::string& name : SplitList(a.kernels)) gp.kernels.push_back(ParseGpKernel(name));
  }
  if (!a.lengthscale.empty()) gp.lengthscale = ParseRealRange(a.lengthscale, "lengthscale");
  if (!a.scale.empty()) gp.scale = ParseRealRange(a.scale, "scale");
  if (!a.noise.empty()) gp.noise = ParseRealRange(a.noise, "gp-noise");
  if (!a.context.empty()) gp.context = ParseIntegerRange(a.context, "context-points");
  if (!a.targets.empty()) gp.targets = ParseIntegerRange(a.targets, "targets-per-task");
  if (!a.context_x.empty()) gp.context_x = ParseRealRange(a.context_x, "context-x");
  if (!a.target_x.empty()) gp.target_x = ParseRealRange(a.target_x, "target-x");
  gp.inputs = a.inputs;
  gp.bimodal = a.bimodal;
  gp.standardize = a.standardize;
  gp.shift = a.shift;
  return gp;
}

}  // namespace

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  size_t start = 0;
  for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', start)) {
    parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

void ColumnArguments::Declare(CommandOptions& options, bool for_training) {
  const char* trained = for_training ? "" : " [those of the model, or x and y]";
  options.Add("x", "NAMES", &x, std::string("input columns, separated by commas") + trained);
  options.Add("y", "NAMES", &y, "output columns, separated by commas");
  options.Add("group", "NAME", &group, "column with the task of each row [all rows are one task]");
}

PointColumns ColumnArguments::Columns() const { return {SplitList(x), SplitList(y), group}; }

void PredictorArguments::Declare(CommandOptions& options, const std::string& model, bool with_oracle) {
  options.Group("Model");
  options.Add("weights,w", "FILE", &predictor.weights, "weights made by haplospin np train [the default weights]");
  if (model.empty()) {
    std::vector<std::string> choices = {"auto", "gp"};
    if (with_oracle) choices.push_back("oracle");
    for (const std::string& name : ProcessModels()) choices.push_back(name);
    options.AddChoice("model", &predictor.model, choices,
                      with_oracle ? "auto: the model of the weights; gp: a Gaussian process fitted to each context; "
                                    "oracle: the Gaussian process that generated the tasks"
                                  : "auto: the model of the weights; gp: a Gaussian process fitted to the context");
  } else {
    predictor.model = model;
  }
  options.Add("test-samples", "N", &predictor.test_samples,
              "samples of the latent variable, or bootstraps; 0: as many as the weights were trained for", {0, 10000});
  options.AddChoice("gp-kernel", &gp_kernel, {"se", "periodic", "matern52", "linear"}, "of --model gp");
  options.Add("gp-iterations", "N", &predictor.gp.iterations, "optimization steps to fit --model gp", {1, 1000000});
}

PredictorOptions PredictorArguments::Options() const {
  PredictorOptions options = predictor;
  options.gp.kernel = ParseGpKernel(gp_kernel);
  return options;
}

void TaskArguments::Declare(CommandOptions& options, bool for_training) {
  options.Group("Tasks");
  options.AddChoice("task", &task, {"gp", "csv"}, "functions from Gaussian processes, or a table");
  DeclareGp(options);
  options.Group("--task csv");
  options.Add("data", "FILE", &data, "table (CSV or TSV, plain or gzipped)");
  columns.Declare(options, for_training);
  options.Add("context-share", "LOW,HIGH", &share, "fraction of the rows of a group that is context");
  options.Add("hold-out", "SHARE", &hold_out, "fraction of the groups kept for evaluate; the same groups in each run",
              {0, 0.9});
  options.Add("max-points", "N", &max_points, "maximum number of rows of a group in a task (0: all)", {0, 100000000});
}

void TaskArguments::DeclareGp(CommandOptions& options) {
  options.Group("--task gp");
  options.AddChoice("setting", &setting, {"te-tnp", "ipnp"}, "published setting; the options below override it");
  options.Add("kernels", "NAMES", &kernels, "kernels (se, periodic, matern52, linear), separated by commas");
  options.Add("lengthscale", "LOW,HIGH", &lengthscale, "lengthscales; of the periodic kernel, periods");
  options.Add("scale", "LOW,HIGH", &scale, "standard deviations of the functions");
  options.Add("gp-noise", "LOW,HIGH", &noise, "standard deviations of the observation noise");
  options.Add("inputs", "N", &inputs, "number of inputs", {1, 64});
  options.Add("context-x", "LOW,HIGH", &context_x, "range of the context inputs");
  options.Add("target-x", "LOW,HIGH", &target_x, "range of the target inputs");
  options.Add("targets-per-task", "LOW,HIGH", &targets, "numbers of targets");
  options.Add("shift", "DELTA", &shift, "shift added to all inputs", {-1e6, 1e6});
  options.AddFlag("bimodal", &bimodal, "inputs from -4 to -1 and from 1 to 4 instead");
  options.AddFlag("standardize", &standardize,
                  "scale each task as np predict does: context outputs to mean 0 and standard deviation 1");
  options.Add("context-points", "LOW,HIGH", &context, "numbers of context points");
}

void TaskArguments::CheckGiven(const CommandOptions& options) const {
  const bool is_gp = task == "gp";
  for (const char* option : is_gp ? kCsvOptions : kGpOptions) {
    if (!options.IsGiven(option)) continue;
    throw InputError(fmt::format("--{} belongs to --task {}, not to --task {}", option, is_gp ? "csv" : "gp", task));
  }
}

std::unique_ptr<TaskSource> TaskArguments::MakeSource(const CommandOptions& options, bool for_training,
                                                      const ProcessModel* model) const {
  CheckGiven(options);
  if (task == "gp") return std::make_unique<GpTasks>(GpOptions(*this));
  return MakeCsvTasks(options, for_training, model);
}

std::unique_ptr<TaskSource> TaskArguments::MakeCsvTasks(const CommandOptions& options, bool for_training,
                                                        const ProcessModel* model) const {
  if (data.empty()) throw InputError("--task csv needs --data");
  PointColumns names = columns.Columns();
  if (model != nullptr && !model->columns.x.empty()) {
    if (!options.IsGiven("x")) names.x = model->columns.x;
    if (!options.IsGiven("y")) names.y = model->columns.y;
    if (!options.IsGiven("group")) names.group = model->columns.group;
  }
  if (names.x.empty() || names.y.empty()) throw InputError("--task csv needs at least one column in --x and in --y");
  const PointTable table = ReadPoints(data, names);
  if (table.left_out > 0) LogWarning("{}: {} rows with missing values are omitted", data, table.left_out);
  CsvTaskOptions csv{.max_points = max_points,
                     .hold_out = hold_out,
                     .part = names.group.empty() || hold_out == 0 ? GroupPart::kAll
                             : for_training                       ? GroupPart::kTraining
                                                                  : GroupPart::kHeldOut};
  if (!share.empty()) csv.context = ParseRealRange(share, "context-share");
  auto tasks =
      std::make_unique<CsvTasks>(table, names, csv, model == nullptr ? std::optional<DataScaling>() : model->scaling);
  if (for_training && tasks->num_groups() < 2) {
    throw InputError(
        fmt::format("{}: {} group{} of rows to train on, but a neural process learns from many: name the column that "
                    "tells them apart with --group; to "
                    "predict from one group, use haplospin np predict with --model gp or the default weights",
                    data, tasks->num_groups(), tasks->num_groups() == 1 ? "" : "s"));
  }
  if (tasks->num_left_out() > 0) {
    LogWarning("{}: {} groups of one row are omitted; a task needs two rows", data, tasks->num_left_out());
  }
  return tasks;
}

size_t TaskArguments::Inputs() const { return task == "gp" ? static_cast<size_t>(inputs) : columns.Columns().x.size(); }

std::string TaskArguments::Source() const { return task == "gp" ? task : data; }

}  // namespace haplospin
