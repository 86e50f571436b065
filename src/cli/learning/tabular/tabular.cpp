// haplospin tabular, hopular, npt: the same three sub-commands.
#include <fmt/format.h>

#include <limits>

#include "cli/learning/tabular/tabular_options.h"
#include "cli/learning/torch/torch_library.h"
#include "cli/options/command.h"
#include "cli/options/commands.h"

namespace haplospin {
namespace {

int TabularTrainCommand(const Arguments& arguments) {
  TabularTrainArguments a;
  const std::string& name = arguments[0];
  CommandOptions options(CommandName(arguments), "Learns to predict columns of a table from the others.",
                         fmt::format("haplospin {} train --data table.csv --target y --out y.model", name));
  a.tabular.DeclareInput(options, name);
  a.tabular.DeclareTraining(options);
  options.Add("validation-column", "NAME", &a.validation_column,
              "column that is 1 in the rows for early stopping, and 0 in the others");
  a.tabular.DeclareOutput(options,
                          "model file (safetensors); contains rows of the table, which predictions are made from");
  options.AddFlag("encode", &a.encode, "SPIN: store inducing points instead of rows in the model file");
  const TorchApi* torch = ParseAndLoad(options, {arguments.begin() + 1, arguments.end()});
  if (torch != nullptr) torch->tabular_train(std::move(a), options, arguments);
  return 0;
}

int TabularPredictCommand(const Arguments& arguments) {
  TabularPredictArguments a;
  a.name = arguments[0];
  CommandOptions options(
      CommandName(arguments), "Predicts the targets of rows with a trained model, or without one from known rows.",
      fmt::format("haplospin {} predict --weights y.model --data new.csv --out predicted.csv", arguments[0]));
  options.Group("Input");
  options.Add("weights,w", "FILE", &a.model_path, "model file of train; without it give --context and --target");
  options.Require("data", "FILE", &a.predict.data, "rows to predict (CSV or TSV, gzipped or not; '-': standard input)");
  options.Add("context", "FILE", &a.predict.context,
              "rows with targets to predict from: instead of those in the model file, or without a model");
  options.Add("id", "NAME", &a.predict.id, "column that names the rows, copied to the output");
  options.ShowDefault("id", "that of train");
  a.predict.csv.Declare(options);
  options.AddDevice(&a.device_text);
  options.Group("Without a model");
  a.direct.Declare(options);
  options.Group("Output");
  options.Add("out,o", "FILE", &a.predict.out,
              "CSV with one line per row: the class and the probability of each class, or the predicted mean and the "
              "standard deviation of its error");
  const TorchApi* torch = ParseAndLoad(options, {arguments.begin() + 1, arguments.end()});
  if (torch != nullptr) torch->tabular_predict(a);
  return 0;
}

int TabularEvaluateCommand(const Arguments& arguments) {
  TabularEvaluateArguments a;
  const std::string& name = arguments[0];
  CommandOptions options(CommandName(arguments), "Estimates the accuracy of predictions by cross-validation.",
                         fmt::format("haplospin {} evaluate --data table.csv --target y --html report.html", name));
  a.tabular.DeclareInput(options, name);
  options.Group("Folds");
  options.Add("folds", "N", &a.folds.folds, "number of folds", {2, 1000});
  options.Add("fold-column", "NAME", &a.folds.fold_column, "column whose values name the folds");
  options.Add("test-column", "NAME", &a.folds.test_columns,
              "column with 1 in the test rows of a fold; one column for each fold");
  a.tabular.DeclareTraining(options);
  options.Group("Output");
  options.Add("json", "FILE", &a.json, "all results, for each fold");
  options.Add(
      "html", "FILE", &a.html,
      "HTML report: confusion matrix, ROC and calibration, or predicted against true values; column importance");
  options.Add("explain", "LINE", &a.explain, "print the training rows that the row on this line of the file attends to",
              {0, std::numeric_limits<int64_t>::max()});
  const TorchApi* torch = ParseAndLoad(options, {arguments.begin() + 1, arguments.end()});
  if (torch != nullptr) torch->tabular_evaluate(a, options, arguments);
  return 0;
}

}  // namespace

int TabularCommand(const Arguments& arguments) {
  // The sub-commands get the whole command line, because the name of the command may be that of a model.
  const auto whole = [&](CommandFunction run) { return [&, run](const Arguments&) { return run(arguments); }; };
  return RunSubcommand(
      arguments, "learns from tables",
      {{"train", "trains a model that predicts columns of a table", whole(TabularTrainCommand)},
       {"predict", "predicts these columns for other rows", whole(TabularPredictCommand)},
       {"evaluate", "estimates the accuracy of predictions by cross-validation", whole(TabularEvaluateCommand)}});
}

}  // namespace haplospin
