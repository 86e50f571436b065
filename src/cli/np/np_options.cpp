#include "cli/np/np_options.h"

namespace haplospin {

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

size_t TaskArguments::Inputs() const { return task == "gp" ? static_cast<size_t>(inputs) : columns.Columns().x.size(); }

std::string TaskArguments::Source() const { return task == "gp" ? task : data; }

void NpPredictArguments::Declare(CommandOptions& options, const std::string& model) {
  predictor.Declare(options, model, /*with_oracle=*/false);
  options.Group("Input");
  options.Require("context,c", "FILE", &context, "observed points (CSV or TSV); may have no rows");
  options.Add("targets,t", "FILE", &targets, "target points [with one input: --grid]");
  options.Add("grid", "N", &grid, "number of evenly spaced targets over the range of the context and a tenth beyond",
              {1, 10000000});
  columns.Declare(options, /*for_training=*/false);
  options.Group("Output");
  options.Require("out,o", "FILE", &out, "predictions (CSV)");
  options.Add("quantiles", "LIST", &quantiles, "probabilities");
  options.Add("samples", "N", &samples, "number of sampled functions, one column each", {0, 1000});
  options.AddSeed(&seed);
  options.Add("plot", "FILE", &plot, "plot (SVG) of the first group and output, with one or two inputs");
}

void NpEvaluateArguments::Declare(CommandOptions& options, const std::string& model) {
  predictor.Declare(options, model, /*with_oracle=*/true);
  tasks.Declare(options, /*for_training=*/false);
  options.Group("Evaluation");
  options.Add("batches", "N", &batches, "number of batches of tasks", {1, 10000000});
  options.Add("batch", "N", &batch, "tasks per batch", {1, 4096});
  options.AddSeed(&seed);
  options.Group("Output");
  options.Add("report", "FILE", &report, "page with plots (HTML)");
  options.Add("json", "FILE", &json, "results as JSON");
}

}  // namespace haplospin
