// haplospin np train|predict|evaluate, and its short forms te-tnp and ipnp: neural processes.
#include "cli/np/np_options.h"
#include "cli/options/commands.h"
#include "cli/options/command.h"
#include "cli/options/training_options.h"
#include "cli/torch/torch_library.h"

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

// The whole command line of a subcommand, from "np" or the short form on.
Arguments NpCommandLine(const Arguments& arguments, const std::string& model) {
  Arguments line{model.empty() ? "np" : model};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

int NpTrainCommand(const Arguments& arguments, const std::string& fixed_model) {
  NpTrainArguments a;
  if (!fixed_model.empty()) a.model.model = fixed_model;
  CommandOptions options("np train", "Trains a neural process.",
                         "haplospin np train --model te-tnp --task csv --data stations.csv --x lat,lon,hour --y "
                         "temperature --group day --out stations.safetensors");
  DeclareModel(options, a, fixed_model.empty());
  a.tasks.Declare(options, true);
  DeclareNpTraining(options, a.training, &a.schedule);
  const TorchApi* torch = ParseAndLoad(options, arguments);
  if (torch != nullptr) torch->np_train(a, options, NpCommandLine(arguments, fixed_model));
  return 0;
}

int NpPredictCommand(const Arguments& arguments, const std::string& fixed_model) {
  NpPredictArguments a;
  CommandOptions options(
      "np predict",
      "Predicts mean, standard deviation and quantiles at target points from observed points (the "
      "context). Without --weights, the default model for one or two inputs is used; no training is needed.",
      "haplospin np predict --context c.csv --targets t.csv --out p.csv --plot p.svg");
  a.Declare(options, fixed_model);
  const TorchApi* torch = ParseAndLoad(options, arguments);
  if (torch != nullptr) torch->np_predict(a, options);
  return 0;
}

int NpEvaluateCommand(const Arguments& arguments, const std::string& fixed_model) {
  NpEvaluateArguments a;
  CommandOptions options("np evaluate",
                         "Log-likelihood of targets with its standard error over tasks, calibration (Rastogi et al., "
                         "2023, eq. 1) and root mean squared error, on test tasks.",
                         "haplospin np evaluate --weights stations.safetensors --task csv --data stations.csv --report "
                         "stations.html");
  a.Declare(options, fixed_model);
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
