// haplospin np train|predict|evaluate, and its short forms te-tnp and ipnp: neural processes.
#include <fmt/format.h>

#include "cli/learning/np/np_options.h"
#include "cli/learning/torch/torch_library.h"
#include "cli/options/command.h"
#include "cli/options/commands.h"
#include "cli/options/training_options.h"

namespace haplospin {
namespace {

void DeclareModel(CommandOptions& options, NpTrainArguments& a, bool choose_model) {
  ProcessOptions& model = a.model;
  options.Group("Model");
  if (choose_model) options.AddChoice("model", &model.model, ProcessModels(), "architecture");
  options.Add("width", "N", &model.width, "width of tokens and hidden layers", {1, 4096});
  options.AddChoice("noise", &a.noise, {"auto", "variance", "bounded", "homogeneous"},
                    "standard deviations: sqrt(softplus), 0.1 + 0.9 softplus, or one for all targets; auto: as in the "
                    "papers");
  options.Add("heads", "N", &model.heads, "number of attention heads", {1, 256});
  options.Add("layers", "N", &model.layers, "layers of transformers", {1, 256});
  options.Add("pseudo-tokens", "N", &model.pseudo_tokens, "pseudo-tokens of pt-tnp, lbanp and te-pt-tnp", {1, 65536});
  options.Add("kernel-width", "N", &model.kernel_width, "width of the kernel MLP of te-tnp and te-pt-tnp", {1, 4096});
  options.Add("kernel-frequencies", "N", &model.kernel_frequencies,
              "te-tnp, te-pt-tnp: the kernel MLP also reads sines and cosines of the difference of two locations, "
              "at N frequencies",
              {0, 16});
  options.AddFlag("no-location-updates", &a.no_location_updates, "te-tnp, te-pt-tnp: do not update locations (eq. 10)");
  options.AddFlag("mean-pseudo-locations", &a.mean_pseudo_locations,
                  "te-pt-tnp: pseudo-locations around the mean of the context instead of eq. 11");
  options.AddFlag("separate-reads", &model.separate_reads,
                  "te-pt-tnp: context and targets read the pseudo-tokens with weights of their own");
  options.Add("block-mb", "MB", &a.block_mb, "te-tnp, te-pt-tnp: maximum size of one hidden layer of a block of pairs",
              {1, 1 << 20});
  options.Add("inducing-points", "N", &model.inducing_points,
              "inducing points of cipnp and ipnp; half of the smallest number of context points", {1, 65536});
  options.Add("train-samples", "N", &model.train_samples, "samples of the latent variable, or bootstraps, in training",
              {1, 1000});
  options.Add("test-samples", "N", &model.test_samples, "the same in prediction", {1, 10000});
  options.Add("levels", "N", &model.levels, "convcnp: levels of the U-Net", {1, 12});
  options.Add("kernel-size", "N", &model.kernel_size, "convcnp: kernel size of the convolutions, odd", {1, 255});
  options.Add("points-per-unit", "N", &model.points_per_unit, "convcnp: grid points per unit", {1, 10000});
}

void DeclareNpTraining(CommandOptions& options, ProcessTraining& training, std::string* schedule) {
  options.Group("Training");
  DeclareTraining(options, training, "of AdamW");
  options.Add("batch", "N", &training.batch, "tasks per step", {1, 4096});
  options.AddChoice("schedule", schedule, {"cosine", "constant"},
                    "schedule of the learning rate; cosine decreases to 0");
  options.Add("clip", "LIMIT", &training.clip, "maximum absolute value of each gradient", {1e-6, 1e6});
  options.Group("Output");
  DeclareTrainingOutput(options, training, "weights (safetensors)");
}

void DeclareColumns(CommandOptions& options, ColumnArguments& a, bool for_training) {
  const char* trained = for_training ? "" : " [those of the model, or x and y]";
  options.Add("x", "NAMES", &a.x, std::string("input columns, separated by commas") + trained);
  options.Add("y", "NAMES", &a.y, "output columns, separated by commas");
  options.Add("group", "NAME", &a.group, "column with the task of each row [all rows are one task]");
}

// `fixed_model` is the model of a short form such as te-tnp; "": an option.
void DeclarePredictor(CommandOptions& options, PredictorArguments& a, const std::string& fixed_model,
                      bool with_oracle) {
  options.Group("Model");
  options.Add("weights,w", "FILE", &a.predictor.weights,
              "weights made by haplospin np train [te-tnp: the default weights]");
  if (fixed_model.empty()) {
    std::vector<std::string> choices = {"auto", "gp"};
    if (with_oracle) choices.push_back("oracle");
    for (const std::string& name : ProcessModels()) choices.push_back(name);
    options.AddChoice(
        "model", &a.predictor.model, choices,
        std::string("auto: the model of the weights, without --weights gp; gp: a Gaussian process fitted to "
                    "each context; te-tnp without --weights: the default weights") +
            (with_oracle ? "; oracle: the Gaussian process that generated the tasks" : ""));
  } else {
    a.predictor.model = fixed_model;
  }
  options.Add("test-samples", "N", &a.predictor.test_samples,
              "samples of the latent variable, or bootstraps; 0: as many as the weights were trained for", {0, 10000});
  options.AddChoice("gp-kernel", &a.gp_kernel, {"se", "periodic", "matern52", "linear"}, "of --model gp");
}

void DeclareGp(CommandOptions& options, TaskArguments& a) {
  options.Group("--task gp");
  options.AddChoice("setting", &a.setting, {"te-tnp", "ipnp"}, "published setting; the options below override it");
  options.Add("kernels", "NAMES", &a.kernels, "kernels (se, periodic, matern52, linear), separated by commas");
  options.Add("lengthscale", "LOW,HIGH", &a.lengthscale, "lengthscales; of the periodic kernel, periods");
  options.Add("gp-noise", "LOW,HIGH", &a.noise, "standard deviations of the observation noise");
  options.Add("inputs", "N", &a.inputs, "number of inputs", {1, 64});
  options.Add("targets-per-task", "LOW,HIGH", &a.targets, "numbers of targets");
  options.Add("shift", "DELTA", &a.shift, "shift added to all inputs", {-1e6, 1e6});
  options.AddFlag("bimodal", &a.bimodal, "inputs from -4 to -1 and from 1 to 4 instead");
  options.AddFlag("standardize", &a.standardize,
                  "scale each task as np predict does: context outputs to mean 0 and standard deviation 1");
  options.Add("context-points", "LOW,HIGH", &a.context, "numbers of context points");
}

void DeclareTasks(CommandOptions& options, TaskArguments& a, bool for_training) {
  options.Group("Tasks");
  options.AddChoice("task", &a.task, {"gp", "csv"}, "functions from Gaussian processes, or a table");
  DeclareGp(options, a);
  options.Group("--task csv");
  options.Add("data", "FILE", &a.data, "table (CSV or TSV, plain or gzipped)");
  DeclareColumns(options, a.columns, for_training);
  options.Add("context-share", "LOW,HIGH", &a.share, "fraction of the rows of a group that is context");
  options.Add("hold-out", "SHARE", &a.hold_out,
              for_training ? "fraction of the groups kept for evaluate; the same groups in each run"
                           : "fraction of the groups to test; 0: all, whatever the model was trained on",
              {0, 0.9});
  if (!for_training) options.ShowDefault("hold-out", "the groups that the model was not trained on");
  options.Add("max-points", "N", &a.max_points, "maximum number of rows of a group in a task (0: all)", {0, 100000000});
}

std::string CommandName(const char* subcommand, const std::string& fixed_model) {
  return fmt::format("{} {}", fixed_model.empty() ? "np" : fixed_model, subcommand);
}

// What predicts where no weights are given.
std::string WithoutWeights(const std::string& fixed_model) {
  if (fixed_model == "te-tnp") return "Without --weights, the default weights for one or two inputs predict.";
  if (!fixed_model.empty()) return "It needs the weights that train has made.";
  return "Without --weights, a Gaussian process is fitted to the context; --model te-tnp predicts with the default "
         "weights for one or two inputs.";
}

// Returns the whole command line of a subcommand, from "np" or the short form on.
Arguments NpCommandLine(const Arguments& arguments, const std::string& model) {
  Arguments line{model.empty() ? "np" : model};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

int NpTrainCommand(const Arguments& arguments, const std::string& fixed_model) {
  NpTrainArguments a;
  if (!fixed_model.empty()) a.model.model = fixed_model;
  const std::string name = CommandName("train", fixed_model);
  CommandOptions options(name, "Trains a neural process.",
                         fmt::format("haplospin {}{} --task csv --data stations.csv --x lat,lon,hour --y temperature "
                                     "--group day --out stations.safetensors",
                                     name, fixed_model.empty() ? " --model te-tnp" : ""));
  DeclareModel(options, a, fixed_model.empty());
  DeclareTasks(options, a.tasks, /*for_training=*/true);
  DeclareNpTraining(options, a.training, &a.schedule);
  const TorchApi* torch = ParseAndLoad(options, arguments);
  if (torch != nullptr) torch->np_train(a, options, NpCommandLine(arguments, fixed_model));
  return 0;
}

int NpPredictCommand(const Arguments& arguments, const std::string& fixed_model) {
  NpPredictArguments a;
  const std::string name = CommandName("predict", fixed_model);
  CommandOptions options(
      name,
      "Predicts mean, standard deviation and quantiles at target points from observed points (the context). " +
          WithoutWeights(fixed_model),
      fmt::format("haplospin {}{} --context c.csv --targets t.csv --out p.csv --plot p.svg", name,
                  fixed_model == "ipnp" ? " --weights ipnp.safetensors" : ""));
  DeclarePredictor(options, a.predictor, fixed_model, /*with_oracle=*/false);
  options.Group("Input");
  options.Require("context,c", "FILE", &a.context, "observed points (CSV or TSV); may have no rows");
  options.Add("targets,t", "FILE", &a.targets, "target points [with one input: --grid]");
  options.Add("grid", "N", &a.grid, "number of evenly spaced targets over the range of the context and a tenth beyond",
              {1, 10000000});
  DeclareColumns(options, a.columns, /*for_training=*/false);
  options.Group("Output");
  options.Require("out,o", "FILE", &a.out, "predictions (CSV)");
  options.Add("quantiles", "LIST", &a.quantiles, "probabilities");
  options.Add("samples", "N", &a.samples, "number of sampled functions, one column each", {0, 1000});
  options.AddSeed(&a.seed);
  options.Add("plot", "FILE", &a.plot, "plot (SVG) of the first group and output, with one or two inputs");
  const TorchApi* torch = ParseAndLoad(options, arguments);
  if (torch != nullptr) torch->np_predict(a, options);
  return 0;
}

int NpEvaluateCommand(const Arguments& arguments, const std::string& fixed_model) {
  NpEvaluateArguments a;
  const std::string name = CommandName("evaluate", fixed_model);
  CommandOptions options(name,
                         "Log-likelihood of targets with its standard error over groups, calibration (Rastogi et al., "
                         "2023, eq. 1) and root mean squared error, on test tasks.",
                         fmt::format("haplospin {} --weights stations.safetensors --task csv --data stations.csv "
                                     "--report stations.html",
                                     name));
  DeclarePredictor(options, a.predictor, fixed_model, /*with_oracle=*/true);
  DeclareTasks(options, a.tasks, /*for_training=*/false);
  options.Group("Evaluation");
  options.Add("batches", "N", &a.batches,
              "number of batches of tasks; each group of a table has as many of them, 1 to 16", {1, 10000000});
  options.Add("batch", "N", &a.batch, "tasks per batch", {1, 4096});
  options.AddSeed(&a.seed);
  options.Group("Output");
  options.Add("report", "FILE", &a.report, "page with plots (HTML)");
  options.Add("json", "FILE", &a.json, "results as JSON");
  const TorchApi* torch = ParseAndLoad(options, arguments);
  if (torch != nullptr) torch->np_evaluate(a, options, NpCommandLine(arguments, fixed_model));
  return 0;
}

int Dispatch(const Arguments& arguments, const std::string& model) {
  const auto with_model = [&](auto* run) { return [&, run](const Arguments& a) { return run(a, model); }; };
  return RunSubcommand(
      arguments, "neural processes: regression with uncertainty from a context of points",
      {
          {"train", "trains a model on simulated tasks or your own table", with_model(NpTrainCommand)},
          {"predict", "predicts a function with its uncertainty from given points", with_model(NpPredictCommand)},
          {"evaluate", "log-likelihood, calibration and error on test tasks", with_model(NpEvaluateCommand)},
      });
}

}  // namespace

int NpCommand(const Arguments& arguments) { return Dispatch(arguments, ""); }
int TeTnpCommand(const Arguments& arguments) { return Dispatch(arguments, "te-tnp"); }
int IpnpCommand(const Arguments& arguments) { return Dispatch(arguments, "ipnp"); }

}  // namespace haplospin
