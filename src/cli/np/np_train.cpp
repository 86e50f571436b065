// haplospin np train: trains a neural process.
#include <fmt/format.h>

#include "cli/np/np.h"
#include "cli/np/np_options.h"
#include "cli/options/training_options.h"
#include "core/log.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "nn/named_tensors.h"
#include "nn/random_state.h"
#include "nn/torch_threads.h"
#include "processes/csv_tasks.h"
#include "processes/process_trainer.h"

namespace haplospin {
namespace {

struct ModelArguments {
  ProcessOptions model;
  std::string noise = "auto";
  bool no_location_updates = false, mean_pseudo_locations = false;
  int64_t block_mb = 64;

  void Declare(CommandOptions& options, bool choose_model) {
    options.Group("Model");
    if (choose_model) options.AddChoice("model", &model.model, ProcessModels(), "architecture");
    options.Add("width", "N", &model.width, "width of tokens and hidden layers", {1, 4096});
    options.AddChoice(
        "noise", &noise, {"auto", "variance", "bounded", "homogeneous"},
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
    options.AddFlag("no-location-updates", &no_location_updates, "te-tnp, te-pt-tnp: do not update locations (eq. 10)");
    options.AddFlag("mean-pseudo-locations", &mean_pseudo_locations,
                    "te-pt-tnp: pseudo-locations around the mean of the context instead of eq. 11");
    options.AddFlag("separate-reads", &model.separate_reads,
                    "te-pt-tnp: context and targets read the pseudo-tokens with weights of their own");
    options.Add("block-mb", "MB", &block_mb, "te-tnp, te-pt-tnp: maximum size of one hidden layer of a block of pairs",
                {1, 1 << 20});
    options.Add("inducing-points", "N", &model.inducing_points,
                "inducing points of cipnp and ipnp; half of the smallest number of context points", {1, 65536});
    options.Add("train-samples", "N", &model.train_samples,
                "samples of the latent variable, or bootstraps, in training", {1, 1000});
    options.Add("test-samples", "N", &model.test_samples, "the same in prediction", {1, 10000});
    options.Add("levels", "N", &model.levels, "convcnp: levels of the U-Net", {1, 12});
    options.Add("kernel-size", "N", &model.kernel_size, "convcnp: kernel size of the convolutions, odd", {1, 255});
    options.Add("points-per-unit", "N", &model.points_per_unit, "convcnp: grid points per unit", {1, 10000});
  }

  void Finish(const TaskSource& source) {
    model.dx = source.dx();
    model.dy = source.dy();
    model.update_locations = !no_location_updates;
    model.weigh_pseudo_locations = !mean_pseudo_locations;
    model.block_bytes = block_mb << 20;
    model.noise = noise == "variance"      ? NoiseModel::kVariance
                  : noise == "bounded"     ? NoiseModel::kBoundedSd
                  : noise == "homogeneous" ? NoiseModel::kHomogeneous
                                           : DefaultNoise(model.model);
    CheckProcessOptions(model, "np train");
  }
};

void DeclareProcessTraining(CommandOptions& options, ProcessTraining& training, std::string& schedule) {
  options.Group("Training");
  DeclareTraining(options, training, "of AdamW");
  options.Add("batch", "N", &training.batch, "tasks per step", {1, 4096});
  options.AddChoice("schedule", &schedule, {"cosine", "constant"},
                    "schedule of the learning rate; cosine decreases to 0");
  options.Add("clip", "LIMIT", &training.clip, "maximum absolute value of each gradient", {1e-6, 1e6});
  options.Group("Output");
  DeclareTrainingOutput(options, training, "weights (safetensors)");
}

}  // namespace

int NpTrainCommand(const Arguments& arguments, const std::string& fixed_model) {
  ModelArguments model_arguments;
  if (!fixed_model.empty()) model_arguments.model.model = fixed_model;
  TaskArguments tasks;
  ProcessTraining training;
  std::string schedule = "cosine";
  CommandOptions options("np train", "Trains a neural process.",
                         "haplospin np train --model te-tnp --task csv --data stations.csv --x lat,lon,hour --y "
                         "temperature --group day --out stations.safetensors");
  model_arguments.Declare(options, fixed_model.empty());
  tasks.Declare(options, true);
  DeclareProcessTraining(options, training, schedule);
  if (!options.Parse(arguments)) return 0;
  PrepareTraining(training);
  SetTorchThreads(Threads());
  training.cosine = schedule == "cosine";

  const std::unique_ptr<TaskSource> source = tasks.MakeSource(options, true, nullptr);
  model_arguments.Finish(*source);
  SeedGenerators(training.seed);
  ProcessModel model;
  model.provenance = MakeProvenance(NpCommandLine(arguments, fixed_model), tasks.Source(), training.seed);
  model.options = model_arguments.model;
  model.network = MakeNeuralProcess(model.options);
  SetTrainedRange(*source, training.seed, model);
  if (const auto* csv = dynamic_cast<const CsvTasks*>(source.get())) {
    model.scaling = csv->scaling();
    model.columns = tasks.columns.Columns();
    LogInfo("{}: {} groups for training", tasks.data, csv->num_groups());
  }
  training.model_options = model.options;
  LogInfo("{} with {} parameters", model.options.model, ParameterCount(*model.network));
  const TrainingResult result = TrainProcess(*model.network, *source, training);
  if (!result.is_finished) {
    LogInfo("{}: written at step {}; continue with --resume", training.checkpoint, result.steps);
    return 0;
  }
  if (training.place.rank > 0) return 0;
  model.results = {{"steps", std::to_string(result.steps)}};
  WriteProcessModel(training.out, model);
  LogInfo("{}: written", training.out);
  return 0;
}

}  // namespace haplospin
