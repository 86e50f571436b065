#include "learning/nn/training/checkpoint.h"

#include <fmt/format.h>

#include "core/log.h"
#include "core/parse_number.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

const std::string kConfiguration = "configuration", kState = "state";

nlohmann::json ParseObject(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return {};
  return nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
}

nlohmann::json PointToJson(const ValidationPoint& point) { return {point.step, point.loss, point.score}; }

ValidationPoint PointFromJson(const nlohmann::json& json) { return {json.at(0), json.at(1), json.at(2)}; }

// The entries of `a` that `b` does not have or has with another value.
nlohmann::json Difference(const nlohmann::json& a, const nlohmann::json& b) {
  nlohmann::json difference = nlohmann::json::object();
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key) || b.at(key) != value) difference[key] = value;
  }
  return difference;
}

const std::string kModel = "model.";
const std::string kOptimizer = "optimizer.";
const std::string kRandom = "random.";
const std::string kBest = "best.";
const std::string kStep = "step";

int64_t ParseStep(const Safetensors& file) {
  const std::string& text = file.Metadata(kStep);
  const auto step = ParseNumber<int64_t>(text);
  if (!step || *step < 0) {
    throw InputError(fmt::format("{}: '{}' is not a number of steps; the checkpoint is damaged", file.path, text));
  }
  return *step;
}

}  // namespace

void LossMeans::Add(const std::vector<double>& parts) {
  sums_.resize(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) sums_[i] += parts[i];
  ++steps_;
}

std::vector<double> LossMeans::Take() {
  std::vector<double> means = sums_;
  for (double& mean : means) mean /= static_cast<double>(steps_);
  *this = {};
  return means;
}

void LossMeans::FromJson(const nlohmann::json& json) {
  sums_ = json.at("sums").get<std::vector<double>>();
  steps_ = json.at("steps");
}

std::map<std::string, std::string> TrainingState::ToMetadata(const nlohmann::json& configuration) const {
  nlohmann::json curve = nlohmann::json::array();
  for (const ValidationPoint& point : result.curve) curve.push_back(PointToJson(point));
  const nlohmann::json state = {{"has_diverged", result.has_diverged},
                                {"seconds", result.seconds},
                                {"losses", result.losses},
                                {"curve", curve},
                                {"best", PointToJson(result.best)},
                                {"without_better", without_better},
                                {"since_log", since_log.ToJson()},
                                {"since_validation", since_validation.ToJson()}};
  return {{kConfiguration, configuration.dump()}, {kState, state.dump()}};
}

void TrainingState::FromMetadata(const std::map<std::string, std::string>& metadata, const std::string& path) {
  const nlohmann::json state = ParseObject(metadata, kState);
  try {
    result.has_diverged = state.at("has_diverged");
    result.seconds = state.at("seconds");
    result.losses = state.at("losses").get<std::vector<double>>();
    for (const nlohmann::json& point : state.at("curve")) result.curve.push_back(PointFromJson(point));
    result.best = PointFromJson(state.at("best"));
    without_better = state.at("without_better");
    since_log.FromJson(state.at("since_log"));
    since_validation.FromJson(state.at("since_validation"));
  } catch (const nlohmann::json::exception&) {
    throw InputError(path + ": the checkpoint's state is damaged; start without --resume");
  }
}

nlohmann::json RunConfiguration(const TrainingOptions& options, const nlohmann::json& objective) {
  nlohmann::json configuration = objective;
  configuration["steps"] = options.steps;
  configuration["learning_rate"] = options.learning_rate;
  configuration["weight_decay"] = options.weight_decay;
  configuration["seed"] = options.seed;
  configuration["validation_steps"] = options.validation_steps;
  configuration["patience"] = options.patience;
  configuration["processes"] = options.place.world_size;
  return configuration;
}

void CheckConfiguration(const std::map<std::string, std::string>& metadata, const nlohmann::json& configuration,
                        const std::string& path, bool allow_changes) {
  const nlohmann::json saved = ParseObject(metadata, kConfiguration);
  if (!saved.is_object()) {
    throw InputError(path + ": not a checkpoint of this version of haplospin; start without --resume");
  }
  if (saved == configuration) return;
  const std::string difference =
      fmt::format("{}: a checkpoint of a run with {}, but this run has {}", path,
                  Difference(saved, configuration).dump(), Difference(configuration, saved).dump());
  if (!allow_changes) {
    throw InputError(difference +
                     "; give the same options, add --allow-changes to go on with the new ones, or start without "
                     "--resume");
  }
  LogWarning("{}", difference);
}

void SaveCheckpoint(const std::string& path, const torch::nn::Module& model, Optimizer& optimizer,
                    const TrainingProgress& progress) {
  NamedTensors tensors;
  InsertWithPrefix(tensors, kModel, ModuleState(model));
  InsertWithPrefix(tensors, kOptimizer, optimizer.State());
  InsertWithPrefix(tensors, kRandom, progress.generators);
  InsertWithPrefix(tensors, kBest, progress.best_weights);
  std::map<std::string, std::string> metadata = progress.metadata;
  HS_ASSERT(!metadata.contains(kStep));
  metadata[kStep] = std::to_string(progress.step);
  WriteTensorFile(path, tensors, metadata);
}

TrainingProgress RestoreCheckpoint(const Safetensors& file, torch::nn::Module& model, Optimizer& optimizer) {
  const std::string& path = file.path;
  const NamedTensors saved = FileTensors(file);
  TrainingProgress progress{.step = ParseStep(file),
                            .metadata = file.metadata,
                            .best_weights = WithoutPrefix(saved, kBest),
                            .generators = WithoutPrefix(saved, kRandom)};
  progress.metadata.erase(kStep);
  if (!progress.best_weights.empty()) CheckSameNamesAndShapes(ModuleState(model), progress.best_weights, path);
  NamedTensors own;
  InsertWithPrefix(own, kModel, ModuleState(model));
  InsertWithPrefix(own, kOptimizer, optimizer.State());
  NamedTensors saved_state = saved;
  std::erase_if(saved_state,
                [](const auto& item) { return item.first.starts_with(kRandom) || item.first.starts_with(kBest); });
  CheckSameNamesAndShapes(own, saved_state, path);
  RestoreGeneratorStates(progress.generators, path);
  CopyNamedTensors(own, saved_state, path);
  return progress;
}

}  // namespace haplospin
