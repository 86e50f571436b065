// haplospin tabular train: trains a model on a table and writes a model file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/command_options.h"
#include "cli/tabular/tabular_options.h"
#include "cli/tabular/tabular_page.h"
#include "core/log.h"
#include "core/progress/progress.h"
#include "core/provenance.h"
#include "haplospin/errors.h"
#include "models/context_network.h"
#include "nn/device.h"
#include "tabular/tabular_training.h"

namespace haplospin {
namespace {

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
    const TrainedNetwork& member = training.networks[i];
    LogInfo("{} {}: validation loss {:.4g} at step {} of {}", a.tabular.model, i + 1, member.best.validation_loss,
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
