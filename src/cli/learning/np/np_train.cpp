// haplospin np train: trains a neural process.
#include <fmt/format.h>

#include "cli/learning/np/np_options.h"
#include "cli/learning/np/np_tasks.h"
#include "core/log.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/random_state.h"
#include "learning/processes/csv_tasks.h"
#include "learning/processes/process_model.h"

namespace haplospin {
namespace {

// Completes the options of the model; the tasks have its numbers of inputs and outputs.
void FinishModel(NpTrainArguments& a, const TaskSource& source) {
  ProcessOptions& model = a.model;
  model.dx = source.dx();
  model.dy = source.dy();
  model.update_locations = !a.no_location_updates;
  model.weigh_pseudo_locations = !a.mean_pseudo_locations;
  model.block_bytes = a.block_mb << 20;
  model.noise = a.noise == "variance"      ? NoiseModel::kVariance
                : a.noise == "bounded"     ? NoiseModel::kBoundedSd
                : a.noise == "homogeneous" ? NoiseModel::kHomogeneous
                                           : DefaultNoise(model.model);
  CheckProcessOptions(model, "np train");
}

}  // namespace

void RunNpTrain(NpTrainArguments a, const CommandOptions& options, const Arguments& command_line) {
  ProcessTraining& training = a.training;
  PrepareTraining(training);
  SetTorchThreads(Threads());
  training.cosine = a.schedule == "cosine";

  const std::unique_ptr<TaskSource> source = MakeTaskSource(a.tasks, options, /*for_training=*/true, nullptr);
  FinishModel(a, *source);
  SeedGenerators(training.seed);
  ProcessModel model;
  model.provenance = MakeProvenance(command_line, a.tasks.task == "gp" ? a.tasks.task : a.tasks.data, training.seed);
  model.options = a.model;
  model.network = MakeNeuralProcess(model.options);
  SetTrainedRange(*source, training.seed, model);
  if (const auto* csv = dynamic_cast<const CsvTasks*>(source.get())) {
    model.scaling = csv->scaling();
    model.columns = MakePointColumns(a.tasks.columns);
    model.groups = csv->group_names();
    LogInfo("{}: {} groups for training", a.tasks.data, csv->num_groups());
  }
  training.model_options = model.options;
  LogInfo("{} with {} parameters", model.options.model, ParameterCount(*model.network));
  const TrainingResult result = TrainProcess(*model.network, *source, training);
  if (!result.is_finished) {
    LogInfo("{}: written at step {}; continue with --resume", training.checkpoint, result.steps);
    return;
  }
  if (training.place.rank > 0) return;
  model.results = {{"steps", std::to_string(result.steps)}};
  WriteProcessModel(training.out, model);
  LogInfo("{}: written", training.out);
}

}  // namespace haplospin
