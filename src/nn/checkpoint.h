// A training run in one safetensors file: weights, what the optimizer has accumulated, the random generators, the step
// and the best weights so far. A run resumed from it on the same machine is, on the CPU, bit for bit the one that was
// never interrupted.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <string>

#include "core/safetensors.h"
#include "nn/named_tensors.h"
#include "nn/optimization/optimizer.h"
#include "nn/random_state.h"

namespace haplospin {

struct TrainingProgress {
  int64_t step = 0;  // steps done; the schedules need nothing else
  // What the caller wants to find again: configuration, best validation score, ...
  std::map<std::string, std::string> metadata;
  NamedTensors best_weights;  // of the model, on the CPU; empty: none
  NamedTensors generators = GeneratorStates();
};

// Replaces an earlier checkpoint of that name only once the new one is whole.
void SaveCheckpoint(const std::string& path, const torch::nn::Module& model, Optimizer& optimizer,
                    const TrainingProgress& progress);

// Restores everything, LibTorch's random generators included. Throws InputError where the file is damaged or belongs to
// another model or optimizer; the model and the optimizer are then unchanged.
TrainingProgress LoadCheckpoint(const std::string& path, torch::nn::Module& model, Optimizer& optimizer);

// The same from a file that was read.
TrainingProgress RestoreCheckpoint(const Safetensors& file, torch::nn::Module& model, Optimizer& optimizer);

}  // namespace haplospin
