// The settings for a table, from the options and a preset: in libhaplospin_torch, because they depend on the networks.
#include <fmt/format.h>

#include <algorithm>

#include "cli/tabular/tabular_options.h"
#include "core/log.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "models/context_network.h"
#include "nn/torch_threads.h"

namespace haplospin {
namespace {

constexpr size_t kRowsOfOneThread = 2500;

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
  if (ArchitectureOf(training.network).heads_divide_width && training.network.width % training.network.heads != 0) {
    throw InputError(
        fmt::format("--width {} is not a multiple of --heads {}", training.network.width, training.network.heads));
  }
  DescribeNetworks(training, table);
  return training;
}

void SetThreadsFor(const Table& table) { SetTorchThreads(table.rows() <= kRowsOfOneThread ? 1 : Threads()); }

}  // namespace haplospin
