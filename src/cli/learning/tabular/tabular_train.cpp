// haplospin tabular train: trains a model on a table and writes a model file. Also the settings of training, which
// evaluate uses, too: they depend on the networks, so that they are in libhaplospin_torch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/learning/tabular/tabular_options.h"
#include "cli/learning/tabular/tabular_page.h"
#include "cli/options/command_options.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "learning/models/context_network.h"
#include "learning/nn/device.h"
#include "learning/tabular/tabular_training.h"

namespace haplospin {
namespace {

constexpr size_t kSingleThreadRows = 2500;  // rows up to which one thread is fastest

// The options that only the training of networks has.
constexpr const char* kNetworkOptions[] = {
    "preset",           "width",    "depth",      "heads",           "inducing-points",
    "dropout",          "ensemble", "steps",      "learning-rate",   "weight-decay",
    "validation-steps", "patience", "time-limit", "feature-masking", "batch-rows"};

void DescribeNetworks(const TabularTrainingOptions& training, const Table& table) {
  const ContextNetworkOptions& network = training.network;
  LogInfo("{}: {} network{} of width {}, depth {}, {} heads; up to {} steps of {} rows", network.architecture,
          training.members, training.members == 1 ? "" : "s", network.width, network.depth, network.heads,
          training.steps, std::min<int64_t>(training.batch_rows, std::ssize(table.lines)));
}

// Logs the metrics of the model and of simpler predictions on its validation rows.
void TellValidation(const TabularTraining& training) {
  const TabularModel& model = *training.model;
  const std::vector<int64_t> targets = model.encoder().targets();
  for (size_t t = 0; t < targets.size(); ++t) {
    const std::string& name = model.encoder().columns()[static_cast<size_t>(targets[t])].name;
    const MetricsComparison& comparison = training.validation[t];
    LogInfo("{} on {} validation rows:", name, comparison.model.rows);
    for (const auto& line : ComparisonLines(comparison, model.name())) LogInfo("  {}", line);
    std::vector<std::string> parts;
    for (const auto& [part, gain] : NamedGains(model.gains(), targets[t])) {
      if (gain > 0) parts.push_back(fmt::format("{} {:.1f}", part, gain));
    }
    LogInfo("  parts beside the linear fit: {}", parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
    const std::string warning = comparison.Warning();
    if (!warning.empty()) LogWarning("{}: {}", name, warning);
  }
}

}  // namespace

TabularTrainingOptions TabularOptions::Training(const CommandOptions& options, const Table& table) const {
  if (table.columns.size() <= choices.targets.size()) {
    throw InputError(table.path + ": no columns except the targets; there is nothing to predict from");
  }
  if (TrainsNetworks()) return NetworkTraining(options, table);
  const auto refuse = [&](const std::string& name) {
    throw InputError(
        fmt::format("--{} is for networks, but --model {} trains none; give --model npt, hopular, spin or "
                    "set-transformer, or omit it",
                    name, model));
  };
  for (const char* name : kNetworkOptions) {
    if (options.IsGiven(name)) refuse(name);
  }
  if (!given_.checkpoint.empty()) refuse("checkpoint");
  TabularTrainingOptions training = given_;
  training.members = 0;
  training.trees = model == "auto";
  training.gaussian_processes = true;
  return training;
}

TabularTrainingOptions TabularOptions::NetworkTraining(const CommandOptions& options, const Table& table) const {
  if (options.IsGiven("inducing-points") && model != "spin" && model != "set-transformer") {
    throw InputError(
        fmt::format("--inducing-points is for --model spin and set-transformer, not for {}; omit it", model));
  }
  const auto columns = static_cast<int64_t>(table.columns.size());
  TabularTrainingOptions training = TabularPreset(preset, model, static_cast<int64_t>(table.rows()), columns);
  const auto take = [&](const char* name, auto& value, const auto& given) {
    if (options.IsGiven(name)) value = given;
  };
  take("width", training.network.width, given_.network.width);
  take("depth", training.network.depth, given_.network.depth);
  take("heads", training.network.heads, given_.network.heads);
  take("inducing-points", training.network.inducing_points, given_.network.inducing_points);
  take("dropout", training.network.dropout, given_.network.dropout);
  take("ensemble", training.members, given_.members);
  take("feature-masking", training.feature_masking, given_.feature_masking);
  take("validation-share", training.validation_share, given_.validation_share);
  take("batch-rows", training.batch_rows, given_.batch_rows);
  take("context-rows", training.context_rows, given_.context_rows);
  TrainingOptions common = given_;
  const auto from_preset = [&](const char* name, auto field) {
    if (!options.IsGiven(name)) common.*field = training.*field;
  };
  from_preset("steps", &TrainingOptions::steps);
  from_preset("learning-rate", &TrainingOptions::learning_rate);
  from_preset("weight-decay", &TrainingOptions::weight_decay);
  from_preset("validation-steps", &TrainingOptions::validation_steps);
  from_preset("patience", &TrainingOptions::patience);
  static_cast<TrainingOptions&>(training) = common;
  if (training.network.depth % 2 != 0) throw InputError("--depth must be even: half of the layers attend between rows");
  if (FindArchitecture(training.network).heads_divide_width && training.network.width % training.network.heads != 0) {
    throw InputError(
        fmt::format("--width {} is not a multiple of --heads {}", training.network.width, training.network.heads));
  }
  DescribeNetworks(training, table);
  return training;
}

void SetThreadsFor(const Table& table) { SetTorchThreads(table.rows() <= kSingleThreadRows ? 1 : Threads()); }

void RunTabularTrain(TabularTrainArguments a, const CommandOptions& options, const Arguments& command_line) {
  if (a.encode && (!a.tabular.TrainsNetworks() || !FindArchitecture(a.tabular.model)->encodes)) {
    throw InputError("--encode is for --model spin; the other models predict from the rows themselves");
  }
  a.tabular.FinishTraining();
  const TrainingOptions& common = a.tabular.common();
  const torch::Device device = ParseDevice(common.device, common.place.local_rank);
  const Provenance provenance = MakeProvenance(command_line, a.tabular.data, common.seed);

  Table table = a.tabular.Read({a.validation_column});
  std::vector<size_t> validation;
  if (!a.validation_column.empty()) {
    const Column marks = TakeColumn(table, a.validation_column, "--validation-column");
    validation = MarkedRows(table, marks, "--validation-column");
  }
  SetThreadsFor(table);
  const TabularTrainingOptions settings = a.tabular.Training(options, table);
  Progress progress("training", "%", 100);
  const TabularTraining training = TrainTabularModel(table, a.tabular.choices.targets, validation, settings, device,
                                                     [&](double share, const std::string& note) {
                                                       progress.Set(100 * share);
                                                       progress.SetNote(note);
                                                     });
  if (!training.model) {
    LogInfo("{}: written; continue with --resume", common.checkpoint);
    return;
  }
  progress.Set(100);
  progress.Finish();
  for (size_t i = 0; i < training.networks.size(); ++i) {
    const TrainingResult& member = training.networks[i].result;
    LogInfo("{} {}: validation loss {:.4g} at step {} of {}", a.tabular.model, i + 1, -member.best.score,
            member.best.step, member.curve.back().step);
    if (member.has_diverged) {
      LogWarning("network {}: the loss was not finite after step {}; the weights of step {} are kept", i + 1,
                 member.curve.back().step, member.best.step);
    }
  }
  if (common.place.rank > 0) return;
  TellValidation(training);
  training.model->Save(common.out, a.encode, provenance);
  LogInfo("{}: written", common.out);
}

}  // namespace haplospin
