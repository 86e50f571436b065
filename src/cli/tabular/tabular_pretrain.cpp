// haplospin tabular pretrain: a network for tables that it has never seen, from synthetic tables.
#include <fmt/format.h>

#include "cli/options/command_options.h"
#include "cli/options/training_options.h"
#include "cli/tabular/tabular.h"
#include "cli/tabular/tabular_options.h"
#include "core/log.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "nn/torch_threads.h"
#include "tabular/pretrained/pretrained_network.h"

namespace haplospin {

int TabularPretrainCommand(const Arguments& arguments) {
  PretrainingOptions training;
  TrainingArguments common(training);
  CommandOptions options(CommandName(arguments),
                         "Trains a network on synthetic tables that corrects predictions without training.",
                         "haplospin tabular pretrain --time-limit 36000 --checkpoint run.checkpoint --out "
                         "tables.safetensors");
  options.Group("Model");
  options.Add("width", "N", &training.network.width, "embedding width of each cell", {1, 1024});
  options.Add("depth", "N", &training.network.depth, "layers", {1, 64});
  options.Add("heads", "N", &training.network.heads, "attention heads, a divisor of the width", {1, 64});
  options.Add("inducing-points", "N", &training.network.inducing_points, "of each column", {1, 1024});
  options.Group("Synthetic tables");
  options.Add("min-rows", "N", &training.prior.min_rows, "fewest rows of a table", {10, 100000});
  options.Add("max-rows", "N", &training.prior.max_rows, "most rows of a table", {10, 100000});
  options.Add("max-columns", "N", &training.prior.max_columns, "most columns of a table", {1, 1000});
  options.Add("max-cells", "N", &training.prior.max_cells, "most rows x columns of a table", {10, 10000000});
  options.Add("classification", "SHARE", &training.prior.classification, "fraction of the tables with classes", {0, 1});
  options.Add("missing", "SHARE", &training.prior.missing, "fraction of the tables with missing values", {0, 1});
  options.Group("Training");
  common.DeclareTraining(options, "largest learning rate");
  options.Add("tables", "N", &training.tables, "tables per step", {1, 4096});
  options.Add("validation-tables", "N", &training.validation_tables, "tables to validate on", {1, 100000});
  options.Add("flat", "SHARE", &training.flat_share, "fraction of the steps before the learning rate decreases",
              {0, 0.99});
  options.Add("warm-up", "N", &training.warm_up, "steps over which the learning rate increases", {1, 1000000});
  options.Group("Output");
  common.DeclareOutput(options, "weights (safetensors)");
  if (!options.Parse({arguments.begin() + 1, arguments.end()})) return 0;
  if (!AreValid(training.network)) {
    throw InputError(
        fmt::format("--width {} is not a multiple of --heads {}", training.network.width, training.network.heads));
  }
  if (training.prior.max_rows < training.prior.min_rows) {
    throw InputError(
        fmt::format("--max-rows {} is less than --min-rows {}", training.prior.max_rows, training.prior.min_rows));
  }
  common.Finish();
  SetTorchThreads(Threads());
  const PretrainingResult result = Pretrain(training);
  if (!result.training.is_finished) {
    LogInfo("{}: written at step {}; continue with --resume", training.checkpoint, result.training.steps);
    return 0;
  }
  if (training.place.rank > 0) return 0;
  WritePretrainedNetwork(training, result, MakeProvenance(arguments, "synthetic tables", training.seed));
  LogInfo("{}: written", training.out);
  return 0;
}

}  // namespace haplospin
