// The states of LibTorch's random generators, which dropout and masking use.
#pragma once

#include "learning/nn/named_tensors.h"

namespace haplospin {

// Seeds the generators of the CPU and of every CUDA device.
void SeedGenerators(uint64_t seed);

// The state of one device's generator, as bytes on the CPU.
torch::Tensor GeneratorState(torch::Device device);
void SetGeneratorState(torch::Device device, const torch::Tensor& state);

// Sets the device's generator to `state` for its lifetime, so that a backward pass draws the random numbers of the
// forward pass again.
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

// Restores the generators. States of CUDA devices that do not exist are ignored, so that a run started on a GPU can be
// continued elsewhere. Throws InputError, naming `source`, if the CPU's state is missing or invalid.
void RestoreGeneratorStates(const NamedTensors& states, const std::string& source);

}  // namespace haplospin
