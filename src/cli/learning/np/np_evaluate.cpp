// haplospin np evaluate: log-likelihood, calibration and error of a neural process on tasks.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/learning/np/np_options.h"
#include "cli/learning/np/np_plots.h"
#include "cli/learning/np/np_tasks.h"
#include "cli/options/output.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "learning/nn/device.h"
#include "learning/nn/random_state.h"
#include "learning/processes/process_evaluation.h"
#include "report/page.h"

namespace haplospin {
namespace {

// A model whose tasks are scaled by their contexts has a range of training that means something with one input only.
void WarnAboutShift(const ChosenPredictor& chosen, const torch::Tensor& target_x) {
  if (chosen.NeedsContextScaling() && target_x.size(2) != 1) return;
  const std::optional<int64_t> column = chosen.ColumnOutsideTraining(target_x);
  if (!column) return;
  LogWarning(
      "{} was trained on inputs from {:.3g} to {:.3g} and is not translation equivariant; its predictions outside this "
      "range are not reliable",
      chosen.name, chosen.model->x_low[*column], chosen.model->x_high[*column]);
}

std::string StandardErrorText(const ProcessEvaluation& e, const char* format) {
  return e.standard_error ? fmt::format(fmt::runtime(format), *e.standard_error) : " (one group: no standard error)";
}

std::string NpEvaluationText(const ChosenPredictor& chosen, const ProcessEvaluation& e) {
  return fmt::format(
      "model               {}\ngroups              {}\ntasks               {}\ncontext points      {} to {}\ntargets   "
      "          {}\n"
      "log-likelihood      {:.4f}{}\nrmse                {:.5g}\n"
      "calibration score   {:.5f}\nseconds predicting  {:.2f}\n",
      chosen.name, e.groups, e.tasks, e.context.low, e.context.high, e.targets, e.log_likelihood,
      StandardErrorText(e, " (standard error over groups {:.4f})"), e.rmse, e.calibration, e.seconds);
}

std::string NpEvaluationJson(const ChosenPredictor& chosen, const ProcessEvaluation& e, const NpEvaluateArguments& a) {
  return nlohmann::json{{"model", chosen.name},
                        {"weights", chosen.weights},
                        {"task", a.tasks.task},
                        {"seed", a.seed},
                        {"groups", e.groups},
                        {"tasks", e.tasks},
                        {"context_points", {e.context.low, e.context.high}},
                        {"targets", e.targets},
                        {"log_likelihood", e.log_likelihood},
                        {"standard_error", e.standard_error ? nlohmann::json(*e.standard_error) : nlohmann::json()},
                        {"rmse", e.rmse},
                        {"calibration", e.calibration},
                        {"confidence", e.confidence},
                        {"covered", e.covered},
                        {"seconds", e.seconds}}
             .dump() +
         "\n";
}

Chart NpCalibrationChart(const ProcessEvaluation& e) {
  Chart chart("Calibration", {.title = "probability of the central interval", .low = 0, .high = 1},
              {.title = "fraction of observations inside", .low = 0, .high = 1});
  chart.AddReferenceLine(0, 0, 1, 1);
  chart.AddLine("model", e.confidence, e.covered);
  return chart;
}

// Charts of the first task, if it has one or two inputs.
void AddExample(Page& page, const ProcessEvaluation& e) {
  const torch::Tensor context_x = e.example.context_x[0], context_y = e.example.context_y[0];
  const torch::Tensor target_x = e.example.target_x[0], target_y = e.example.target_y[0];
  const Prediction& prediction = e.example_prediction;
  if (target_x.size(1) > 2) return;
  page.AddSection("A task");
  if (target_x.size(1) == 1) {
    Chart chart = CurveChart({{"x"}, "y"}, context_x, context_y, target_x, prediction);
    chart.AddPoints("targets", ColumnValues(target_x, 0), ColumnValues(target_y, 0));
    page.AddChart(chart);
    return;
  }
  const PlotNames names{{"first input", "second input"}, ""};
  if (context_x.size(0) > 0) page.AddChart(MapChart("Context", names, context_x, context_y));
  page.AddChart(MapChart("Truth", names, torch::cat({context_x, target_x}), torch::cat({context_y, target_y})));
  page.AddChart(MapChart("Predicted mean at the targets", names, target_x, MixtureMean(prediction)[0]));
  page.AddChart(MapChart("Predicted standard deviation", names, target_x, MixtureSd(prediction)[0]));
}

std::string NpEvaluationPage(const ChosenPredictor& chosen, const ProcessEvaluation& e, const std::string& task,
                             const Provenance& provenance) {
  Page page(fmt::format("{} on {} tasks", chosen.name, task));
  page.AddFacts(
      {{"Weights", chosen.weights.empty() ? "none" : chosen.weights},
       {"Groups", std::to_string(e.groups)},
       {"Tasks", std::to_string(e.tasks)},
       {"Context points of a task", fmt::format("{} to {}", e.context.low, e.context.high)},
       {"Targets", std::to_string(e.targets)},
       {"Log-likelihood of a target", fmt::format("{:.4f}{}", e.log_likelihood, StandardErrorText(e, " ± {:.4f}"))},
       {"Root mean squared error", fmt::format("{:.5g}", e.rmse)},
       {"Calibration score", fmt::format("{:.5f}", e.calibration)}});
  page.AddParagraph(
      "The error of the log-likelihood is its standard error over groups. The calibration score is the mean squared "
      "distance of the line below from the diagonal; 0 is best.",
      PageTone::kNote);
  page.AddChart(NpCalibrationChart(e));
  AddExample(page, e);
  page.AddModel(chosen.weights.empty() ? chosen.name
                                       : fmt::format("{}, {}, sha256:{}", chosen.name,
                                                     std::filesystem::path(chosen.weights).filename().string(),
                                                     Sha256OfFile(chosen.weights)));
  return page.Html(provenance);
}

}  // namespace

void RunNpEvaluate(const NpEvaluateArguments& a, const CommandOptions& options, const Arguments& command_line) {
  SetTorchThreads(Threads());
  SeedGenerators(a.seed);
  CheckDistinctOutputs("np evaluate", "--json and --report", {a.json, a.report});
  OptionalOutput json(a.json), report(a.report);

  const ChosenPredictor chosen = ChoosePredictor(MakePredictorOptions(a.predictor), NumInputs(a.tasks));
  CheckPredictorOptions(chosen, options);
  const std::unique_ptr<TaskSource> source =
      MakeTaskSource(a.tasks, options, /*for_training=*/false, chosen.model ? &*chosen.model : nullptr);
  chosen.CheckDimensions(source->dx(), source->dy());
  const ProcessEvaluation evaluation = EvaluatePredictor(chosen, *source, a.batches, a.batch, a.seed);
  SayDefault(chosen);
  WarnAboutShift(chosen, evaluation.example.target_x);
  PrintOutput(NpEvaluationText(chosen, evaluation));
  json.Write(NpEvaluationJson(chosen, evaluation, a));
  if (report.IsWanted()) {
    report.Write(NpEvaluationPage(chosen, evaluation, a.tasks.task, MakeProvenance(command_line)));
  }
}

}  // namespace haplospin
