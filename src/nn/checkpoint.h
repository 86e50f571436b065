// A training run in one safetensors file: weights, optimizer state, random generator states and step. A run resumed
// from it on the same machine is, on the CPU, bit for bit identical to an uninterrupted one. With several processes
// (data_parallel.h) each has its own file, because their generators differ.
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
  int64_t step = 0;  // completed steps; the schedules need nothing else
  // Entries of the caller: configuration, best validation score, ...
  std::map<std::string, std::string> metadata;
  NamedTensors best_weights;  // the model's, on the CPU; empty: none kept
  NamedTensors generators = GeneratorStates();
};

// Replaces an existing checkpoint of that name only when the new one is complete.
void SaveCheckpoint(const std::string& path, const torch::nn::Module& model, Optimizer& optimizer,
                    const TrainingProgress& progress);

// Restores everything, including LibTorch's random generators. Throws InputError if the file is damaged or belongs to
// another model or optimizer; the model and the optimizer are then unchanged.
TrainingProgress RestoreCheckpoint(const Safetensors& file, torch::nn::Module& model, Optimizer& optimizer);

}  // namespace haplospin
