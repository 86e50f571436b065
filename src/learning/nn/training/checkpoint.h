// A training run in one safetensors file: weights, optimizer state, random generator states and step. A run resumed
// from it on the same machine is, on the CPU, bit for bit identical to an uninterrupted one. With several processes
// (data_parallel.h), each has its own file, because their generators differ.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/safetensors.h"
#include "learning/nn/named_tensors.h"
#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/random_state.h"
#include "learning/nn/training/training_run.h"

namespace haplospin {

// The means of the losses since the last Take().
class LossMeans {
 public:
  void Add(const std::vector<double>& parts);
  std::vector<double> Take();  // empty if no step was added

  nlohmann::json ToJson() const { return {{"sums", sums_}, {"steps", steps_}}; }
  void FromJson(const nlohmann::json& json);

 private:
  std::vector<double> sums_;
  int64_t steps_ = 0;
};

// The state of a run besides its weights.
struct TrainingState {
  TrainingResult result;
  int64_t without_better = 0;  // validations since the best one
  LossMeans since_log, since_validation;

  // The metadata of a checkpoint, with the run's configuration, and the state from it. Reading throws InputError,
  // naming `path`, if the state is damaged.
  std::map<std::string, std::string> ToMetadata(const nlohmann::json& configuration) const;
  void FromMetadata(const std::map<std::string, std::string>& metadata, const std::string& path);
};

// The options and the objective's configuration that must not change when a run is resumed.
nlohmann::json RunConfiguration(const TrainingOptions& options, const nlohmann::json& objective);

// Throws InputError, naming the values that differ, if a checkpoint is of another configuration; with `allow_changes`
// it is a warning.
void CheckConfiguration(const std::map<std::string, std::string>& metadata, const nlohmann::json& configuration,
                        const std::string& path, bool allow_changes);

struct TrainingProgress {
  int64_t step = 0;                             // completed steps; the schedules need nothing else
  std::map<std::string, std::string> metadata;  // TrainingState::ToMetadata()
  NamedTensors best_weights;                    // the model's, on the CPU; empty: none kept
  NamedTensors generators = GeneratorStates();
};

// Replaces an existing checkpoint of that name only when the new one is complete.
void SaveCheckpoint(const std::string& path, const torch::nn::Module& model, Optimizer& optimizer,
                    const TrainingProgress& progress);

// Restores everything, including LibTorch's random generators. Throws InputError if the file is damaged or belongs to
// another model or optimizer; the model and the optimizer are then unchanged.
TrainingProgress RestoreCheckpoint(const Safetensors& file, torch::nn::Module& model, Optimizer& optimizer);

}  // namespace haplospin
