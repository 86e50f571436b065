// haplospin np predict: distributions at targets, given a context.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/np/np.h"
#include "cli/np/np_options.h"
#include "cli/np/np_plots.h"
#include "cli/np/np_predictor.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "nn/random_state.h"
#include "nn/torch_threads.h"
#include "processes/csv_tasks.h"
#include "processes/process_prediction.h"
#include "tables/table.h"

namespace haplospin {
namespace {

constexpr double kWidening = 0.1;  // of a grid beyond the context, of its range
constexpr int64_t kMaxSampled = 400;

struct PredictArguments {
  PredictorArguments predictor;
  ColumnArguments columns;
  std::string context, targets, out, plot, quantiles = "0.05,0.5,0.95";
  int64_t grid = 200, samples = 0, seed = 1;
};

// A set of points in the units of the files.
struct Points {
  torch::Tensor x, y;  // double [n, dx], [n, dy]
};

std::vector<double> ParseQuantiles(const std::string& text) {
  std::vector<double> quantiles;
  for (const std::string& part : SplitList(text)) {
    double value = 0;
    if (!ParseNumber(part, value) || !(value > 0 && value < 1)) {
      throw InputError(fmt::format("--quantiles {}: expected numbers between 0 and 1, separated by commas", text));
    }
    quantiles.push_back(value);
  }
  return quantiles;
}

PointColumns ColumnsOf(const PredictArguments& a, const CommandOptions& options, const ChosenPredictor& chosen) {
  PointColumns columns = a.columns.Columns();
  if (chosen.model && !chosen.model->columns.x.empty()) {
    if (!options.IsGiven("x")) columns.x = chosen.model->columns.x;
    if (!options.IsGiven("y")) columns.y = chosen.model->columns.y;
  }
  if (columns.x.empty() || columns.y.empty()) throw InputError("np predict: --x and --y need at least one column each");
  return columns;
}

// Where there is no file of targets: evenly spaced inputs over the context's range and a little beyond.
PointTable GridTargets(const PointTable& context, int64_t count) {
  if (context.dx != 1) {
    throw InputError("np predict: --targets is needed with more than one input; a grid is only made for one");
  }
  if (context.num_rows() == 0) throw InputError("np predict: an empty context has no range; give --targets");
  if (context.groups.size() > 1) throw InputError("np predict: --targets is needed with --group");
  const auto [low, high] = std::ranges::minmax(context.x);
  const double margin = high > low ? kWidening * (high - low) : 1;
  PointTable targets{.path = "grid", .dx = 1, .groups = context.groups, .rows = {{}}};
  for (int64_t i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.5;
    targets.x.push_back(low - margin + share * (high - low + 2 * margin));
    targets.rows[0].push_back(static_cast<size_t>(i));
  }
  return targets;
}

struct GroupPrediction {
  Points context;
  torch::Tensor target_x;  // double [n, dx]
  torch::Tensor mean, sd;  // double [n, dy]
  std::vector<torch::Tensor> quantiles;
  torch::Tensor low, high;  // of the plot's band
  torch::Tensor samples;    // [count, n, dy]
};

DataScaling ScalingFor(const ChosenPredictor& chosen, const Points& context, const torch::Tensor& target_x) {
  if (chosen.NeedsContextScaling()) return ScalingOfContext(context.x, context.y, target_x);
  if (chosen.model->scaling == ScalingKind::kFixed) return chosen.model->fixed;
  const auto dx = static_cast<size_t>(target_x.size(1)), dy = static_cast<size_t>(context.y.size(1));
  return {std::vector<double>(dx, 0), std::vector<double>(dx, 1), std::vector<double>(dy, 0),
          std::vector<double>(dy, 1)};
}

// Whether a scaled target lies outside the range of training by more than a hundredth of it.
bool IsOutside(const ProcessModel& model, const torch::Tensor& x) {
  for (int64_t c = 0; c < x.size(1); ++c) {
    const double low = model.x_low[c], high = model.x_high[c], slack = 0.01 * (high - low);
    if (x.select(1, c).min().item<double>() < low - slack || x.select(1, c).max().item<double>() > high + slack) {
      return true;
    }
  }
  return false;
}

GroupPrediction PredictGroup(const PredictArguments& a, const ChosenPredictor& chosen, const Points& context,
                             const torch::Tensor& target_x, const std::vector<double>& quantiles, bool& outside) {
  const DataScaling scaling = ScalingFor(chosen, context, target_x);
  const ProcessTasks task{scaling.ScaleX(context.x).unsqueeze(0),
                          scaling.ScaleY(context.y).unsqueeze(0),
                          scaling.ScaleX(target_x).unsqueeze(0),
                          {}};
  if (chosen.model && !chosen.predictor->IsTranslationEquivariant()) {
    outside = outside || IsOutside(*chosen.model, task.target_x[0]);
  }
  const Prediction prediction = scaling.Unscale(PredictInBlocks(*chosen.predictor, task));
  GroupPrediction result{context, target_x, MixtureMean(prediction)[0], MixtureSd(prediction)[0], {}, {}, {}, {}};
  for (const double q : quantiles) result.quantiles.push_back(MixtureQuantile(prediction, q)[0]);
  result.low = MixtureQuantile(prediction, 0.05)[0];
  result.high = MixtureQuantile(prediction, 0.95)[0];
  if (a.samples > 0) {
    RandomStream random(static_cast<uint64_t>(a.seed), {3});
    const torch::Tensor drawn = SampleFunctions(*chosen.predictor, task, a.samples, random);
    result.samples = scaling.Unscale({drawn, torch::ones_like(drawn)}).mean;
  }
  return result;
}

void WriteHeader(OutputFile& file, const PointColumns& columns, const PredictArguments& a,
                 const std::vector<std::string>& quantiles) {
  std::string line = columns.group.empty() ? "" : columns.group + ",";
  for (const std::string& name : columns.x) line += name + ",";
  for (const std::string& name : columns.y) {
    line += fmt::format("{0}_mean,{0}_sd,", name);
    for (const std::string& q : quantiles) line += fmt::format("{}_q{},", name, q);
    for (int64_t k = 1; k <= a.samples; ++k) line += fmt::format("{}_sample{},", name, k);
  }
  line.back() = '\n';
  file.Write(line);
}

// A field that may hold a separator or a quote.
std::string Quoted(const std::string& field) {
  if (field.find_first_of(",\"\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string Row(const GroupPrediction& p, int64_t i) {
  std::string line;
  const auto add = [&](const torch::Tensor& values, int64_t column) {
    line += fmt::format("{:.7g},", values.accessor<double, 2>()[i][column]);
  };
  const auto x = p.target_x.accessor<double, 2>();
  for (int64_t c = 0; c < p.target_x.size(1); ++c) line += fmt::format("{:.15g},", x[i][c]);
  for (int64_t d = 0; d < p.mean.size(1); ++d) {
    add(p.mean, d);
    add(p.sd, d);
    for (const torch::Tensor& q : p.quantiles) add(q, d);
    if (!p.samples.defined()) continue;
    for (int64_t k = 0; k < p.samples.size(0); ++k) {
      line += fmt::format("{:.7g},", p.samples.accessor<double, 3>()[k][i][d]);
    }
  }
  line.back() = '\n';
  return line;
}

std::vector<double> Column(const torch::Tensor& values, int64_t column) {
  const torch::Tensor flat = values.select(1, column).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

std::string Plot(const GroupPrediction& p, const PointColumns& columns) {
  if (p.target_x.size(1) == 1) {
    std::vector<std::vector<double>> samples;
    for (int64_t k = 0; p.samples.defined() && k < p.samples.size(0); ++k) samples.push_back(Column(p.samples[k], 0));
    return ChartsDocument({CurveChart(columns.y[0], {.x_name = columns.x[0],
                                                     .y_name = columns.y[0],
                                                     .x = Column(p.target_x, 0),
                                                     .mean = Column(p.mean, 0),
                                                     .low = Column(p.low, 0),
                                                     .high = Column(p.high, 0),
                                                     .samples = samples,
                                                     .context_x = Column(p.context.x, 0),
                                                     .context_y = Column(p.context.y, 0)})});
  }
  const auto map = [&](const torch::Tensor& values) {
    return PredictedMap{.x_name = columns.x[0],
                        .y_name = columns.x[1],
                        .x = Column(p.target_x, 0),
                        .y = Column(p.target_x, 1),
                        .values = Column(values, 0),
                        .context_x = Column(p.context.x, 0),
                        .context_y = Column(p.context.x, 1)};
  };
  return ChartsDocument(
      {MapChart(columns.y[0] + ": mean", map(p.mean)), MapChart(columns.y[0] + ": standard deviation", map(p.sd))});
}

void Warn(const PointTable& context, const ChosenPredictor& chosen, const std::vector<std::string>& without_context) {
  if (context.left_out > 0) {
    LogWarning("{}: {} rows with missing values are left out", context.path, context.left_out);
  }
  if (!without_context.empty()) {
    LogWarning(
        "{}: no context{}; the prediction there is the prior{}", context.path,
        without_context.front().empty()
            ? ""
            : fmt::format(" for {} groups, such as '{}'", without_context.size(), without_context.front()),
        chosen.NeedsContextScaling() ? ", in units in which the outputs have mean 0 and standard deviation 1" : "");
  }
  if (!chosen.NeedsContextScaling()) return;
  for (size_t g = 0; g < context.rows.size(); ++g) {
    const torch::Tensor y = RowsOf(context.y, context.dy, context.rows[g]);
    if (y.size(0) < 2 || (y - y[0]).abs().max().item<double>() > 0) continue;
    LogWarning("{}: all outputs{} are the same, so their scale is unknown and taken to be 1", context.path,
               context.groups[g].empty() ? "" : fmt::format(" of '{}'", context.groups[g]));
  }
}

}  // namespace

int NpPredictCommand(const Arguments& arguments, const std::string& fixed_model) {
  PredictArguments a;
  a.predictor.model = fixed_model;
  CommandOptions options("np predict",
                         "Mean, standard deviation and quantiles at target points, given a context of observed ones. "
                         "Without --weights, a shipped model for one input is used; no training is needed.",
                         "haplospin np predict --context c.csv --targets t.csv --out p.csv --plot p.svg");
  a.predictor.Declare(options, fixed_model.empty(), false);
  options.Group("Input");
  options.Require("context,c", "FILE", &a.context, "observed points (CSV or TSV); may have no rows");
  options.Add("targets,t", "FILE", &a.targets, "where to predict (without, and with one input: --grid)");
  options.Add("grid", "N", &a.grid, "targets, evenly over the context's range and a tenth beyond", {1, 10000000});
  a.columns.Declare(options, false);
  options.Group("Output");
  options.Require("out,o", "FILE", &a.out, "predictions (CSV)");
  options.Add("quantiles", "LIST", &a.quantiles, "probabilities");
  options.Add("samples", "N", &a.samples, "functions drawn, one column each", {0, 1000});
  options.AddSeed(&a.seed);
  options.Add("plot", "FILE", &a.plot, "picture (SVG) of the first group and output, with one or two inputs");
  if (!options.Parse(arguments)) return 0;
  SetTorchThreads(Threads());
  SeedGenerators(static_cast<uint64_t>(a.seed));
  const std::vector<double> quantiles = ParseQuantiles(a.quantiles);

  const ChosenPredictor chosen = ChoosePredictor(a.predictor);
  const PointColumns columns = ColumnsOf(a, options, chosen);
  const auto dx = static_cast<int64_t>(columns.x.size()), dy = static_cast<int64_t>(columns.y.size());
  chosen.CheckDimensions(dx, dy);
  if (!a.plot.empty() && dx > 2) throw InputError("np predict: --plot draws one or two inputs, not more");
  const PointTable context = ReadPoints(a.context, columns, /*may_be_empty=*/true);
  const PointTable targets =
      a.targets.empty() ? GridTargets(context, a.grid) : ReadPoints(a.targets, {columns.x, {}, columns.group});
  if (targets.left_out > 0) LogWarning("{}: {} rows with missing values are left out", a.targets, targets.left_out);

  bool outside = false;
  std::vector<std::string> without_context, lines(targets.num_rows());
  std::string picture;
  for (size_t g = 0; g < targets.groups.size(); ++g) {
    const auto found = std::ranges::find(context.groups, targets.groups[g]);
    static const std::vector<size_t> kNone;
    const auto& rows = found == context.groups.end() ? kNone : context.rows[found - context.groups.begin()];
    if (rows.empty()) without_context.push_back(targets.groups[g]);
    if (a.samples > 0 && static_cast<int64_t>(targets.rows[g].size()) > kMaxSampled) {
      throw InputError(
          fmt::format("np predict: --samples draws targets one by one; {} are too many, at most {} are "
                      "allowed in a group",
                      targets.rows[g].size(), kMaxSampled));
    }
    const GroupPrediction p =
        PredictGroup(a, chosen, {RowsOf(context.x, context.dx, rows), RowsOf(context.y, context.dy, rows)},
                     RowsOf(targets.x, targets.dx, targets.rows[g]), quantiles, outside);
    for (size_t i = 0; i < targets.rows[g].size(); ++i) {
      lines[targets.rows[g][i]] =
          (columns.group.empty() ? "" : Quoted(targets.groups[g]) + ",") + Row(p, static_cast<int64_t>(i));
    }
    if (g == 0 && !a.plot.empty()) picture = Plot(p, columns);
  }
  Warn(context, chosen, without_context);
  if (outside) {
    LogWarning(
        "some targets lie outside the range that {} was trained on; it is not translation equivariant, so its "
        "predictions there are guesses",
        chosen.name);
  }
  OutputFile file(a.out);
  WriteHeader(file, columns, a, SplitList(a.quantiles));
  for (const std::string& line : lines) file.Write(line);
  file.Commit();
  if (!a.plot.empty()) {
    OutputFile svg(a.plot);
    svg.Write(picture);
    svg.Commit();
  }
  return 0;
}

}  // namespace haplospin
