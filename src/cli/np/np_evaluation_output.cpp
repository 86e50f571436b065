#include "cli/np/np_evaluation_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/np/np_plots.h"
#include "core/content_hash.h"
#include "report/page.h"

namespace haplospin {
namespace {

// The second input runs to the right, the first one down.
void AddMaps(Page& page, const EvaluatedTask& example) {
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

void AddExample(Page& page, const EvaluatedTask& example) {
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
  if (t.target_x.size(2) == 2) AddMaps(page, example);
}

}  // namespace

std::string NpEvaluationText(const ChosenPredictor& chosen, const NpEvaluation& evaluation) {
  const ProcessEvaluation& e = evaluation.figures;
  return fmt::format(
      "model               {}\ntasks               {}\ntargets             {}\n"
      "log-likelihood      {:.4f} (standard error {:.4f})\nrmse                {:.5g}\n"
      "calibration score   {:.5f}\nseconds predicting  {:.2f}\n",
      chosen.name, e.tasks, e.targets, e.log_likelihood, e.standard_error, e.rmse, e.calibration, evaluation.seconds);
}

std::string NpEvaluationJson(const ChosenPredictor& chosen, const NpEvaluation& evaluation, const std::string& task,
                             int64_t seed) {
  const ProcessEvaluation& e = evaluation.figures;
  return nlohmann::json{{"model", chosen.name},
                        {"weights", chosen.weights},
                        {"task", task},
                        {"seed", seed},
                        {"tasks", e.tasks},
                        {"targets", e.targets},
                        {"log_likelihood", e.log_likelihood},
                        {"standard_error", e.standard_error},
                        {"rmse", e.rmse},
                        {"calibration", e.calibration},
                        {"confidence", e.confidence},
                        {"covered", e.covered},
                        {"seconds", evaluation.seconds}}
             .dump() +
         "\n";
}

std::string NpEvaluationPage(const ChosenPredictor& chosen, const NpEvaluation& evaluation, const std::string& task,
                             const Provenance& provenance) {
  const ProcessEvaluation& e = evaluation.figures;
  Page page(fmt::format("{} on {} tasks", chosen.name, task));
  page.AddFacts({{"Weights", chosen.weights.empty() ? "none" : chosen.weights},
                 {"Tasks", std::to_string(e.tasks)},
                 {"Targets", std::to_string(e.targets)},
                 {"Log-likelihood of a target", fmt::format("{:.4f} ± {:.4f}", e.log_likelihood, e.standard_error)},
                 {"Root mean squared error", fmt::format("{:.5g}", e.rmse)},
                 {"Calibration score", fmt::format("{:.5f}", e.calibration)}});
  page.AddParagraph(
      "The error of the log-likelihood is its standard error over tasks. The calibration score is the mean squared "
      "distance of the line below from the diagonal; 0 is best.",
      PageTone::kNote);
  page.AddChart(CalibrationChart(e.confidence, e.covered));
  AddExample(page, evaluation.example);
  page.AddModel(chosen.weights.empty() ? chosen.name
                                       : fmt::format("{}, {}, sha256:{}", chosen.name,
                                                     std::filesystem::path(chosen.weights).filename().string(),
                                                     Sha256OfFile(chosen.weights)));
  return page.Html(provenance);
}

}  // namespace haplospin
