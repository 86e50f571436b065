#include "nn/checkpoint.h"

#include <fmt/format.h>

#include <charconv>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

const std::string kModel = "model.";
const std::string kOptimizer = "optimizer.";
const std::string kRandom = "random.";
const std::string kBest = "best.";
const std::string kStep = "step";

int64_t ParseStep(const Safetensors& file) {
  const std::string& text = file.Metadata(kStep);
  int64_t step = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc() || end != text.data() + text.size() || step < 0) {
    throw InputError(fmt::format("{}: '{}' is not a number of steps; the checkpoint is damaged", file.path, text));
  }
  return step;
}

}  // namespace

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
