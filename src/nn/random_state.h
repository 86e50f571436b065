// The states of LibTorch's own random generators, which dropout and masking draw from.
#pragma once

#include "nn/named_tensors.h"

namespace haplospin {

// Seeds the generators of the CPU and of every CUDA device.
void SeedGenerators(uint64_t seed);

// The state of one device's generator, as bytes on the CPU.
torch::Tensor GeneratorState(torch::Device device);
void SetGeneratorState(torch::Device device, const torch::Tensor& state);

// The device's generator as it was at `state`, for as long as this lives: a backward pass draws the forward pass's
// numbers again.
class GeneratorRewound {
 public:
  GeneratorRewound(torch::Device device, const torch::Tensor& state);
  ~GeneratorRewound();
  GeneratorRewound(const GeneratorRewound&) = delete;
  GeneratorRewound& operator=(const GeneratorRewound&) = delete;

 private:
  torch::Device device_;
  torch::Tensor present_;
};

// The state of the CPU's generator under "cpu" and of each CUDA device's under "cuda.N".
NamedTensors GeneratorStates();

// Puts the generators back. States of CUDA devices that are not here are passed over, so that a run started on a GPU
// can go on elsewhere. Throws InputError, naming `source`, where the CPU's state is missing or is not one.
void RestoreGeneratorStates(const NamedTensors& states, const std::string& source);

}  // namespace haplospin
