// A training run in one safetensors file: weights, what the optimiser has accumulated, the random generators and the
// step. A run resumed from it on the same machine is, on the CPU, bit for bit the one that was never interrupted. With
// several processes (data_parallel.h) each keeps a file of its own, for its generators differ.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <string>

#include "nn/optimization/optimizer.h"

namespace haplospin {

struct TrainingProgress {
  int64_t step = 0;  // steps done; the schedules need nothing else
  // What the caller wants to find again: configuration, best validation score, ...
  std::map<std::string, std::string> metadata;
};

// Replaces an earlier checkpoint of that name only once the new one is whole.
void SaveCheckpoint(const std::string& path, const torch::nn::Module& model, Optimizer& optimizer,
                    const TrainingProgress& progress);

// Restores everything, LibTorch's random generators included. Throws InputError where the file is damaged or belongs to
// another model or optimiser; the model and the optimiser are then unchanged.
TrainingProgress LoadCheckpoint(const std::string& path, torch::nn::Module& model, Optimizer& optimizer);

}  // namespace haplospin
