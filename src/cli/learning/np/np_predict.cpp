// haplospin np predict: distributions at targets, given a context.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/learning/np/np_options.h"
#include "cli/learning/np/np_plots.h"
#include "cli/learning/np/np_tasks.h"
#include "cli/options/name_list.h"
#include "cli/options/output.h"
#include "core/log.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/nn/random_state.h"
#include "learning/processes/csv_tasks.h"
#include "learning/processes/process_predictor.h"
#include "learning/tables/csv.h"
#include "learning/tables/table.h"
#include "learning/tables/values.h"

namespace haplospin {
namespace {

constexpr double kMargin = 0.1;  // margin of a grid of targets on either side, as a share of the context's range

std::vector<double> ParseQuantiles(const std::string& text) {
  std::vector<double> quantiles;
  for (const std::string& part : SplitLists({text})) {
    double value = 0;
    if (!ParseNumber(part, value) || !(value > 0 && value < 1)) {
      throw InputError(fmt::format("--quantiles {}: expected numbers between 0 and 1, separated by commas", text));
    }
    quantiles.push_back(value);
  }
  return quantiles;
}

bool HasColumn(const std::string& path, const std::string& name) {
  const CsvReader reader(path, {});
  return !name.empty() && std::ranges::find(reader.names(), name) != reader.names().end();
}

// The columns that the options name, else those that the model was trained on. A table of one task need not have that
// of the groups.
PointColumns PredictedColumns(const NpPredictArguments& a, const CommandOptions& options,
                              const ChosenPredictor& chosen) {
  PointColumns columns = MakePointColumns(a.columns);
  if (chosen.model && !chosen.model->columns.x.empty()) {
    if (!options.IsGiven("x")) columns.x = chosen.model->columns.x;
    if (!options.IsGiven("y")) columns.y = chosen.model->columns.y;
  }
  if (chosen.model && !options.IsGiven("group") && HasColumn(a.context, chosen.model->columns.group) &&
      (a.targets.empty() || HasColumn(a.targets, chosen.model->columns.group))) {
    columns.group = chosen.model->columns.group;
  }
  if (columns.x.empty() || columns.y.empty()) throw InputError("np predict: --x and --y need at least one column each");
  return columns;
}

// Evenly spaced targets over the range of the context and a margin.
PointTable GridTargets(const PointTable& context, int64_t count) {
  if (context.dx != 1) {
    throw InputError("np predict: --targets is needed with more than one input");
  }
  if (context.num_rows() == 0) throw InputError("np predict: an empty context has no range; give --targets");
  if (context.groups.size() > 1) throw InputError("np predict: --targets is needed with --group");
  const auto [low, high] = std::ranges::minmax(context.x);
  const double margin = high > low ? kMargin * (high - low) : 1;
  PointTable targets{.path = "grid", .dx = 1, .groups = context.groups, .rows = {{}}, .dates = context.dates};
  for (int64_t i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.5;
    targets.x.push_back(low - margin + share * (high - low + 2 * margin));
    targets.rows[0].push_back(static_cast<size_t>(i));
    if (!context.zones.empty()) targets.zones.push_back(context.zones[0]);
  }
  return targets;
}

// The rows of `context` for each group of `targets`, which may be none.
std::vector<std::vector<size_t>> ContextRows(const PointTable& context, const PointTable& targets) {
  std::vector<std::vector<size_t>> rows;
  for (const std::string& group : targets.groups) {
    const auto found = std::ranges::find(context.groups, group);
    rows.push_back({});
    if (found != context.groups.end()) rows.back() = context.rows[found - context.groups.begin()];
  }
  return rows;
}

void WarnAboutContext(const PointTable& context, const ChosenPredictor& chosen,
                      const std::vector<std::string>& without_context) {
  if (context.left_out > 0) {
    LogWarning("{}: {} rows with missing values are omitted", context.path, context.left_out);
  }
  if (!without_context.empty()) {
    LogWarning("{}: no context{}; the prediction there is the prior{}", context.path,
               without_context.front().empty()
                   ? ""
                   : fmt::format(" for {} groups, such as '{}'", without_context.size(), without_context.front()),
               chosen.NeedsContextScaling() && context.groups.size() < 2
                   ? ", in units in which the outputs have mean 0 and standard deviation 1"
                   : "");
  }
  if (!chosen.NeedsContextScaling()) return;
  for (size_t g = 0; g < context.rows.size(); ++g) {
    const torch::Tensor y = TakeRows(context.y, context.dy, context.rows[g]);
    if (y.size(0) < 2 || (y - y[0]).abs().max().item<double>() > 0) continue;
    LogWarning("{}: all outputs{} are equal, so their scale is unknown and is set to 1", context.path,
               context.groups[g].empty() ? "" : fmt::format(" of '{}'", context.groups[g]));
  }
}

// The line of column names; `quantiles` as the user wrote them.
std::string HeaderLine(const PointColumns& columns, const std::vector<std::string>& quantiles, int64_t samples) {
  std::vector<std::string> names;
  if (!columns.group.empty()) names.push_back(columns.group);
  names.insert(names.end(), columns.x.begin(), columns.x.end());
  for (const std::string& name : columns.y) {
    names.push_back(name + "_mean");
    names.push_back(name + "_sd");
    for (const std::string& q : quantiles) names.push_back(fmt::format("{}_q{}", name, q));
    for (int64_t k = 1; k <= samples; ++k) names.push_back(fmt::format("{}_sample{}", name, k));
  }
  return CsvLine(names);
}

// The figures of each output in the order of the header, [n, dy] each.
std::vector<torch::Tensor> Figures(const GroupPrediction& p, const std::vector<double>& quantiles) {
  std::vector<torch::Tensor> figures{MixtureMean(p.prediction)[0], MixtureSd(p.prediction)[0]};
  for (const double q : quantiles) figures.push_back(MixtureQuantile(p.prediction, q)[0]);
  for (int64_t k = 0; p.samples.defined() && k < p.samples.size(0); ++k) figures.push_back(p.samples[k]);
  return figures;
}

// SVG of the first output, with one or two inputs. `dates` as in PointTable.
std::string PredictionPlot(const PointColumns& columns, const std::vector<bool>& dates, const Points& context,
                           const torch::Tensor& target_x, const GroupPrediction& p) {
  PlotNames names{columns.x, columns.y[0]};
  if (columns.x.size() == 1) {
    if (dates[0]) names.inputs[0] += ", days since 1970";
    return ChartsDocument({CurveChart(names, context.x, context.y, target_x, p.prediction, p.samples)});
  }
  return ChartsDocument(
      {MapChart(names.output + ": mean", names, target_x, MixtureMean(p.prediction)[0], context.x),
       MapChart(names.output + ": standard deviation", names, target_x, MixtureSd(p.prediction)[0], context.x)});
}

struct NpPredictions {
  std::vector<std::string> lines;            // CSV, in the order of the targets
  std::vector<std::string> without_context;  // names of groups
  std::string plot;                          // SVG of the first group
  bool is_outside_training = false;          // a target of some group is
};

NpPredictions PredictAll(const NpPredictArguments& a, const ChosenPredictor& chosen, const PointColumns& columns,
                         const PointTable& context, const PointTable& targets) {
  const std::vector<double> quantiles = ParseQuantiles(a.quantiles);
  const std::vector<std::vector<size_t>> context_rows = ContextRows(context, targets);
  std::optional<DataScaling> all_scaling;
  if (context.groups.size() > 1) all_scaling = ScalingAsContext(context);
  NpPredictions all;
  all.lines.resize(targets.num_rows());
  for (size_t g = 0; g < targets.groups.size(); ++g) {
    if (context_rows[g].empty()) all.without_context.push_back(targets.groups[g]);
    const Points points{TakeRows(context.x, context.dx, context_rows[g]),
                        TakeRows(context.y, context.dy, context_rows[g])};
    const torch::Tensor target_x = TakeRows(targets.x, targets.dx, targets.rows[g]);
    const GroupPrediction p =
        PredictGroup(chosen, points, target_x, a.samples, a.seed, all_scaling ? &*all_scaling : nullptr);
    const std::vector<torch::Tensor> figures = Figures(p, quantiles);
    all.is_outside_training |= p.is_outside_training;
    for (size_t i = 0; i < targets.rows[g].size(); ++i) {
      std::vector<std::string> fields;
      if (!columns.group.empty()) fields.push_back(targets.groups[g]);
      const size_t row = targets.rows[g][i];
      for (size_t c = 0; c < targets.dx; ++c) fields.push_back(targets.TextOfX(row, c));
      for (size_t d = 0; d < columns.y.size(); ++d) {
        for (const torch::Tensor& figure : figures) {
          fields.push_back(fmt::format("{:.10g}", figure.accessor<double, 2>()[i][d]));
        }
      }
      all.lines[row] = CsvLine(fields);
    }
    if (g == 0 && !a.plot.empty()) all.plot = PredictionPlot(columns, targets.dates, points, target_x, p);
  }
  return all;
}

}  // namespace

void RunNpPredict(const NpPredictArguments& a, const CommandOptions& options) {
  SetTorchThreads(Threads());
  SeedGenerators(a.seed);
  static_cast<void>(ParseQuantiles(a.quantiles));  // throws before any work
  CheckDistinctOutputs("np predict", "--out and --plot", {a.out, a.plot});
  OptionalOutput file(a.out), plot(a.plot);

  if (options.IsGiven("grid") && !a.targets.empty()) {
    throw InputError("np predict: --grid makes the targets where --targets names no file; omit one of them");
  }
  const ChosenPredictor chosen =
      ChoosePredictor(MakePredictorOptions(a.predictor), MakePointColumns(a.columns).x.size());
  CheckPredictorOptions(chosen, options);
  const PointColumns columns = PredictedColumns(a, options, chosen);
  const auto dx = static_cast<int64_t>(columns.x.size()), dy = static_cast<int64_t>(columns.y.size());
  chosen.CheckDimensions(dx, dy);
  if (!a.plot.empty() && dx > 2) throw InputError("np predict: --plot needs one or two inputs");
  const PointTable context = ReadPoints(a.context, columns, /*may_be_empty=*/true);
  const PointTable targets =
      a.targets.empty() ? GridTargets(context, a.grid) : ReadPoints(a.targets, {columns.x, {}, columns.group});
  if (context.num_rows() > 0 && context.dates != targets.dates) {
    throw InputError(fmt::format("{} and {}: a column of --x holds dates in one of them only", a.context, a.targets));
  }
  if (targets.left_out > 0) LogWarning("{}: {} rows with missing values are omitted", a.targets, targets.left_out);

  const NpPredictions predictions = PredictAll(a, chosen, columns, context, targets);
  SayDefault(chosen);
  WarnAboutKnownOutputs(context, columns);
  WarnAboutContext(context, chosen, predictions.without_context);
  if (predictions.is_outside_training) {
    LogWarning(
        "some targets lie outside the range that {} was trained on; it is not translation equivariant, so its "
        "predictions there are not reliable",
        chosen.name);
  }
  file.Write(HeaderLine(columns, SplitLists({a.quantiles}), a.samples) +
             fmt::format("{}", fmt::join(predictions.lines, "")));
  plot.Write(predictions.plot);
}

}  // namespace haplospin
