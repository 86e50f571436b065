// haplospin np evaluate: log-likelihood, calibration and error of a neural process on tasks.
#include <fmt/format.h>

#include "cli/np/np.h"
#include "cli/np/np_evaluation.h"
#include "cli/np/np_evaluation_output.h"
#include "cli/np/np_predictor.h"
#include "cli/np/np_task_options.h"
#include "cli/options/optional_output.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "nn/random_state.h"
#include "nn/torch_threads.h"

namespace haplospin {
namespace {

struct EvaluateArguments {
  PredictorArguments predictor;
  TaskArguments tasks;
  int64_t batches = 50, batch = 16, seed = 1;
  std::string report, json;

  void Declare(CommandOptions& options, bool choose_model) {
    predictor.Declare(options, choose_model, true);
    tasks.Declare(options, false);
    options.Group("Evaluation");
    options.Add("batches", "N", &batches, "number of batches of tasks", {1, 10000000});
    options.Add("batch", "N", &batch, "tasks per batch", {1, 4096});
    options.AddSeed(&seed);
    options.Group("Output");
    options.Add("report", "FILE", &report, "page with plots (HTML)");
    options.Add("json", "FILE", &json, "results as JSON");
  }
};

// Only one input has a range that means anything where each task is scaled by its own context.
void WarnOfShift(const ChosenPredictor& chosen, const EvaluatedTask& example) {
  const torch::Tensor& x = example.tasks.target_x;
  if (chosen.NeedsContextScaling() && x.size(2) != 1) return;
  const std::optional<int64_t> column = chosen.ColumnOutsideTraining(x);
  if (!column) return;
  LogWarning(
      "{} was trained on inputs from {:.3g} to {:.3g} and is not translation equivariant; its predictions outside this "
      "range are not reliable",
      chosen.name, chosen.model->x_low[*column], chosen.model->x_high[*column]);
}

}  // namespace

int NpEvaluateCommand(const Arguments& arguments, const std::string& fixed_model) {
  EvaluateArguments a;
  a.predictor.model = fixed_model;
  CommandOptions options("np evaluate",
                         "Log-likelihood of targets with its standard error over tasks, calibration (Rastogi et al., "
                         "2023, eq. 1) and root mean squared error, on test tasks.",
                         "haplospin np evaluate --weights stations.safetensors --task csv --data stations.csv --report "
                         "stations.html");
  a.Declare(options, fixed_model.empty());
  if (!options.Parse(arguments)) return 0;
  SetTorchThreads(Threads());
  SeedGenerators(static_cast<uint64_t>(a.seed));
  CheckDistinctOutputs("np evaluate", "--json and --report", {a.json, a.report});
  OptionalOutput json(a.json), report(a.report);

  const ChosenPredictor chosen = ChoosePredictor(a.predictor, a.tasks.Inputs());
  const std::unique_ptr<TaskSource> source =
      a.tasks.MakeSource(options, false, chosen.model ? &*chosen.model : nullptr);
  chosen.CheckDimensions(source->dx(), source->dy());
  const NpEvaluation evaluation = EvaluatePredictor(chosen, *source, a.batches, a.batch, static_cast<uint64_t>(a.seed));
  WarnOfShift(chosen, evaluation.example);
  PrintOutput(NpEvaluationText(chosen, evaluation));
  json.Write(NpEvaluationJson(chosen, evaluation, a.tasks.task, a.seed));
  if (report.IsWanted()) {
    report.Write(
        NpEvaluationPage(chosen, evaluation, a.tasks.task, MakeProvenance(NpCommandLine(arguments, fixed_model))));
  }
  return 0;
}

}  // namespace haplospin
