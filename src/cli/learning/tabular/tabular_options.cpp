#include "cli/learning/tabular/tabular_options.h"

namespace haplospin {
namespace {

const std::string kFromPreset = "of the preset";

void DeclareTypes(CommandOptions& options, TableChoices& choices) {
  options.Add("categorical", "NAME", &choices.categorical, "categorical column, even if its values are numbers");
  options.Add("numeric", "NAME", &choices.numeric, "numeric column");
  options.Add("ignore", "NAME", &choices.ignore, "column to ignore");
}

}  // namespace

void CsvOptions::Declare(CommandOptions& options) {
  options.AddChoice("separator", &separator, {"auto", "comma", "semicolon", "tab"}, "field separator");
  options.AddFlag("no-header", &no_header, "there is no header; the columns are named 1, 2, ...");
  options.AddChoice("decimal", &decimal, {"auto", "point", "comma"},
                    "decimal mark; the other one may separate thousands. auto: the one that fits the values");
  options.Add("missing", "TOKEN", &missing,
              "another way in which a missing value is written (NA, null, ?, - and more are known)");
}

void TabularOptions::DeclareInput(CommandOptions& options, const std::string& name) {
  options.Group("Input");
  options.Require("data", "FILE", &data, "table: CSV or TSV, gzipped or not; '-': standard input");
  options.Require("target,t", "NAME", &choices.targets, "column to predict");
  DeclareTypes(options, choices);
  options.Add("id", "NAME", &choices.id, "column that names the rows: not a feature; predict copies it to its output");
  csv.Declare(options);
  options.Group("Model");
  if (name == "tabular") {
    std::vector<std::string> models = {"auto", "gp"};
    for (const std::string& architecture : ArchitectureNames()) models.push_back(architecture);
    options.AddChoice("model", &model, models,
                      "auto: linear fit, boosted trees and Gaussian processes; gp: Gaussian processes alone; others: "
                      "linear fit, boosted trees and such networks");
  } else {
    model = name;
  }
  options.AddChoice("preset", &preset, TabularPresetNames(),
                    "size and training settings; auto: small up to 2,000 rows, otherwise base");
  options.Add("width", "N", &given_.network.width, "embedding width of each entry", {1, 1024});
  options.Add("depth", "N", &given_.network.depth, "layers, an even number", {2, 64});
  options.Add("heads", "N", &given_.network.heads, "attention heads or Hopfield networks, a divisor of the width",
              {1, 64});
  options.Add("inducing-points", "N", &given_.network.inducing_points, "of SPIN and Set Transformer", {1, 4096});
  options.Add("dropout", "SHARE", &given_.network.dropout, "of attention weights and hidden layers in training",
              {0, 0.9});
  options.Add("ensemble", "N", &given_.members, "networks of the ensemble; predictions are averaged", {1, 100});
  for (const char* name : {"width", "depth", "heads", "ensemble"}) options.ShowDefault(name, kFromPreset);
}

void TabularOptions::DeclareTraining(CommandOptions& options) {
  options.Group("Training");
  haplospin::DeclareTraining(options, given_, "largest learning rate");
  options.Add("feature-masking", "SHARE", &given_.feature_masking,
              "fraction of the features that is masked and predicted as well", {0, 0.95});
  options.Add("validation-share", "SHARE", &given_.validation_share, "fraction of the rows for early stopping",
              {0.01, 0.5});
  options.Add("batch-rows", "N", &given_.batch_rows, "maximum number of rows per step", {2, 10000000});
  options.Add("context-rows", "N", &given_.context_rows, "maximum number of rows that a prediction is made from",
              {2, 100000000});
  for (const char* name : {"steps", "learning-rate", "weight-decay", "validation-steps", "patience", "feature-masking",
                           "batch-rows", "context-rows"}) {
    options.ShowDefault(name, kFromPreset);
  }
}

void TabularOptions::DeclareOutput(CommandOptions& options, const std::string& out_help) {
  options.Group("Output");
  DeclareTrainingOutput(options, given_, out_help);
}

void DirectPrediction::Declare(CommandOptions& options) {
  options.Add("target,t", "NAME", &choices.targets, "column to predict");
  DeclareTypes(options, choices);
  options.Add("quantiles", "LIST", &quantiles,
              "for a numeric target: quantiles to add to the output, such as 0.05,0.5,0.95");
  options.AddSeed(&seed);
}

}  // namespace haplospin
