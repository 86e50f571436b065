// haplospin np evaluate: log-likelihood, calibration and error of a neural process on tasks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/np/np.h"
#include "cli/np/np_options.h"
#include "cli/np/np_plots.h"
#include "cli/np/np_predictor.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/progress.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "nn/random_state.h"
#include "nn/torch_threads.h"
#include "processes/csv_tasks.h"
#include "processes/process_prediction.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr double kBandLow = 0.05, kBandHigh = 0.95;

struct EvaluateArguments {
  PredictorArguments predictor;
  TaskArguments tasks;
  int64_t batches = 50, batch = 16, seed = 1;
  std::string report, json;
};

// One task as it was predicted, for the report.
struct Example {
  ProcessTasks tasks;
  Prediction prediction;
};

struct Outcome {
  ProcessEvaluation evaluation;
  Example example;
  double seconds = 0;  // of predicting
};

// Each task of a batch with data scaled by its own context.
Prediction PredictScaled(ProcessPredictor& predictor, const ProcessTasks& tasks) {
  std::vector<torch::Tensor> means, sds;
  for (int64_t b = 0; b < tasks.target_x.size(0); ++b) {
    const auto in_double = [&](const torch::Tensor& part) { return part[b].to(torch::kFloat64); };
    const torch::Tensor cx = in_double(tasks.context_x), cy = in_double(tasks.context_y);
    const torch::Tensor tx = in_double(tasks.target_x);
    const DataScaling scaling = ScalingOfContext(cx, cy, tx);
    const Prediction one = scaling.Unscale(PredictInBlocks(
        predictor,
        {scaling.ScaleX(cx).unsqueeze(0), scaling.ScaleY(cy).unsqueeze(0), scaling.ScaleX(tx).unsqueeze(0), {}}));
    means.push_back(one.mean.to(torch::kFloat32));
    sds.push_back(one.sd.to(torch::kFloat32));
  }
  return {torch::cat(means, 1), torch::cat(sds, 1)};
}

ProcessTasks FirstTask(const ProcessTasks& tasks) {
  return {tasks.context_x.narrow(0, 0, 1), tasks.context_y.narrow(0, 0, 1), tasks.target_x.narrow(0, 0, 1),
          tasks.target_y.narrow(0, 0, 1)};
}

// In the units of the table.
torch::Tensor UnscaleY(const DataScaling& scaling, const torch::Tensor& y) {
  return scaling.Unscale({y, torch::ones_like(y)}).mean;
}

Outcome Evaluate(const EvaluateArguments& a, const TaskSource& source, const ChosenPredictor& chosen) {
  const auto* csv = dynamic_cast<const CsvTasks*>(&source);
  const bool scale = csv != nullptr && chosen.NeedsContextScaling();
  Outcome outcome;
  EvaluationSums sums;
  Progress progress("evaluating", "batches", static_cast<double>(a.batches));
  for (int64_t k = 0; k < a.batches; ++k) {
    RandomStream random = BatchStream(static_cast<uint64_t>(a.seed), TaskStream::kTest, k);
    RandomStream same = random;
    for (const ProcessTasks& tasks : source.Draw(a.batch, random)) {
      const auto start = std::chrono::steady_clock::now();
      Prediction prediction;
      if (chosen.predictor == nullptr) {
        prediction = source.DrawOracle(a.batch, same);
      } else {
        prediction = scale ? PredictScaled(*chosen.predictor, tasks) : PredictInBlocks(*chosen.predictor, tasks);
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      outcome.seconds += took.count();
      if (!outcome.example.tasks.target_x.defined()) {
        outcome.example = {FirstTask(tasks), {prediction.mean.narrow(1, 0, 1), prediction.sd.narrow(1, 0, 1)}};
      }
      if (csv != nullptr) {
        sums.Add(csv->scaling().Unscale(prediction), UnscaleY(csv->scaling(), tasks.target_y));
      } else {
        sums.Add(prediction, tasks.target_y);
      }
    }
    progress.Set(static_cast<double>(k + 1));
  }
  progress.Finish();
  outcome.evaluation = sums.Result();
  return outcome;
}

std::vector<double> ToVector(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kFloat64).contiguous().flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

// Of three inputs, the points whose first one is that of the middle target, without it.
Example MiddleSlice(const Example& example) {
  const ProcessTasks& t = example.tasks;
  const double middle = t.target_x[0].select(1, 0).median().item<double>();
  const auto at_middle = [&](const torch::Tensor& x) {
    return ((x[0].select(1, 0) - middle).abs() < 1e-6).nonzero().flatten();
  };
  const torch::Tensor context = at_middle(t.context_x), targets = at_middle(t.target_x);
  const auto inputs = [](const torch::Tensor& x, const torch::Tensor& rows) {
    return x.index_select(1, rows).narrow(2, 1, 2);
  };
  return {{inputs(t.context_x, context), t.context_y.index_select(1, context), inputs(t.target_x, targets),
           t.target_y.index_select(1, targets)},
          {example.prediction.mean.index_select(2, targets), example.prediction.sd.index_select(2, targets)}};
}

// The second input runs to the right, the first one down.
void AddMaps(Page& page, const Example& example) {
  const ProcessTasks& t = example.tasks;
  const auto add = [&](const std::string& title, const torch::Tensor& x, const torch::Tensor& y) {
    page.AddChart(MapChart(title, {.x_name = "second input",
                                   .y_name = "minus first input",
                                   .x = ToVector(x[0].select(1, 1)),
                                   .y = ToVector(-x[0].select(1, 0)),
                                   .values = ToVector(y[0].select(1, 0)),
                                   .context_x = {},
                                   .context_y = {}}));
  };
  page.AddSection("A task");
  if (t.context_x.size(1) > 0) add("Context", t.context_x, t.context_y);
  add("Truth", torch::cat({t.context_x, t.target_x}, 1), torch::cat({t.context_y, t.target_y}, 1));
  add("Predicted mean at the targets", t.target_x, MixtureMean(example.prediction));
  add("Predicted standard deviation", t.target_x, MixtureSd(example.prediction));
}

void AddExample(Page& page, const Example& example) {
  const ProcessTasks& t = example.tasks;
  const auto y = [](const torch::Tensor& values) { return ToVector(values[0].select(1, 0)); };
  if (t.target_x.size(2) == 1) {
    page.AddSection("A task");
    Chart chart = CurveChart("Prediction", {.x_name = "x",
                                            .y_name = "y",
                                            .x = ToVector(t.target_x[0]),
                                            .mean = y(MixtureMean(example.prediction)),
                                            .low = y(MixtureQuantile(example.prediction, kBandLow)),
                                            .high = y(MixtureQuantile(example.prediction, kBandHigh)),
                                            .samples = {},
                                            .context_x = ToVector(t.context_x[0]),
                                            .context_y = y(t.context_y)});
    chart.AddPoints("targets", ToVector(t.target_x[0]), y(t.target_y));
    page.AddChart(chart);
    return;
  }
  if (t.target_x.size(2) > 3) return;
  AddMaps(page, t.target_x.size(2) == 3 ? MiddleSlice(example) : example);
}

void WriteText(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.Write(text);
  file.Commit();
}

std::string Json(const EvaluateArguments& a, const ChosenPredictor& chosen, const Outcome& outcome) {
  const ProcessEvaluation& e = outcome.evaluation;
  return nlohmann::json{{"model", chosen.name},
                        {"weights", chosen.weights},
                        {"task", a.tasks.task},
                        {"seed", a.seed},
                        {"tasks", e.tasks},
                        {"targets", e.targets},
                        {"log_likelihood", e.log_likelihood},
                        {"standard_error", e.standard_error},
                        {"rmse", e.rmse},
                        {"calibration", e.calibration},
                        {"confidence", e.confidence},
                        {"covered", e.covered},
                        {"seconds", outcome.seconds}}
             .dump() +
         "\n";
}

std::string Report(const EvaluateArguments& a, const ChosenPredictor& chosen, const Outcome& outcome) {
  const ProcessEvaluation& e = outcome.evaluation;
  Page page(fmt::format("{} on {} tasks", chosen.name, a.tasks.task));
  page.AddFacts({{"Weights", chosen.weights.empty() ? "none" : chosen.weights},
                 {"Tasks", std::to_string(e.tasks)},
                 {"Targets", std::to_string(e.targets)},
                 {"Log-likelihood of a target", fmt::format("{:.4f} ± {:.4f}", e.log_likelihood, e.standard_error)},
                 {"Root mean squared error", fmt::format("{:.5g}", e.rmse)},
                 {"Calibration score", fmt::format("{:.5f}", e.calibration)}});
  page.AddParagraph(
      "The log-likelihood's error is its standard error over tasks. The calibration score is the mean squared distance "
      "of the line below from the diagonal; 0 is best.",
      PageTone::kNote);
  page.AddChart(CalibrationChart(e.confidence, e.covered));
  AddExample(page, outcome.example);
  return page.Html();
}

void WarnOfShift(const ChosenPredictor& chosen, const Example& example) {
  if (chosen.predictor == nullptr || chosen.predictor->IsTranslationEquivariant() || !chosen.model) return;
  if (chosen.model->scaling == ScalingKind::kContext && example.tasks.target_x.size(2) != 1) return;
  for (int64_t c = 0; c < example.tasks.target_x.size(2); ++c) {
    const torch::Tensor x = example.tasks.target_x.select(2, c);
    const double low = chosen.model->x_low[c], high = chosen.model->x_high[c], slack = 0.01 * (high - low);
    if (x.min().item<double>() < low - slack || x.max().item<double>() > high + slack) {
      LogWarning(
          "{} was trained on inputs from {:.3g} to {:.3g} and is not translation equivariant; its predictions "
          "beyond are guesses",
          chosen.name, low, high);
      return;
    }
  }
}

}  // namespace

int NpEvaluateCommand(const Arguments& arguments, const std::string& fixed_model) {
  EvaluateArguments a;
  a.predictor.model = fixed_model;
  CommandOptions options("np evaluate",
                         "Log-likelihood of targets with its standard error over tasks, calibration (Rastogi et al., "
                         "2023, eq. 1) and root mean squared error, on tasks that were not trained on.",
                         "haplospin np evaluate --weights stations.safetensors --task csv --data stations.csv --report "
                         "stations.html");
  a.predictor.Declare(options, fixed_model.empty(), true);
  a.tasks.Declare(options, false);
  options.Group("Evaluation");
  options.Add("batches", "N", &a.batches, "of tasks", {1, 10000000});
  options.Add("batch", "N", &a.batch, "tasks of a batch", {1, 4096});
  options.AddSeed(&a.seed);
  options.Group("Output");
  options.Add("report", "FILE", &a.report, "page with plots (HTML)");
  options.Add("json", "FILE", &a.json, "the figures as JSON");
  if (!options.Parse(arguments)) return 0;
  SetTorchThreads(Threads());
  SeedGenerators(static_cast<uint64_t>(a.seed));

  const ChosenPredictor chosen = ChoosePredictor(a.predictor);
  const std::unique_ptr<TaskSource> source =
      a.tasks.MakeSource(options, false, chosen.model ? &*chosen.model : nullptr);
  chosen.CheckDimensions(source->dx(), source->dy());
  const Outcome outcome = Evaluate(a, *source, chosen);
  WarnOfShift(chosen, outcome.example);
  const ProcessEvaluation& e = outcome.evaluation;
  fmt::print("model               {}\ntasks               {}\ntargets             {}\n", chosen.name, e.tasks,
             e.targets);
  fmt::print("log-likelihood      {:.4f} (standard error {:.4f})\nrmse                {:.5g}\n", e.log_likelihood,
             e.standard_error, e.rmse);
  fmt::print("calibration score   {:.5f}\nseconds predicting  {:.2f}\n", e.calibration, outcome.seconds);
  if (!a.json.empty()) WriteText(a.json, Json(a, chosen, outcome));
  if (!a.report.empty()) WriteText(a.report, Report(a, chosen, outcome));
  return 0;
}

}  // namespace haplospin
