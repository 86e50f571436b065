#include "learning/nn/random_state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <mutex>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

at::Generator Generator(torch::Device device) { return at::globalContext().defaultGenerator(device); }

void Restore(torch::Device device, const torch::Tensor& state, const std::string& source) {
  try {
    SetGeneratorState(device, state);
  } catch (const c10::Error&) {
    throw InputError(fmt::format("{}: the state of the random generator on {} is not valid for this LibTorch", source,
                                 device.str()));
  }
}

std::string CudaName(size_t index) { return fmt::format("cuda.{}", index); }

torch::Device CudaDevice(size_t index) { return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)}; }

// The type of LibTorch's answer differs between its versions.
size_t NumCudaDevices() { return static_cast<size_t>(torch::cuda::device_count()); }

}  // namespace

void SeedGenerators(uint64_t seed) { torch::manual_seed(seed); }

torch::Tensor GeneratorState(torch::Device device) {
  at::Generator generator = Generator(device);
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void SetGeneratorState(torch::Device device, const torch::Tensor& state) {
  at::Generator generator = Generator(device);
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

GeneratorRewound::GeneratorRewound(torch::Device device, const torch::Tensor& state)
    : device_(device), present_(GeneratorState(device)) {
  SetGeneratorState(device_, state);
}

GeneratorRewound::~GeneratorRewound() { SetGeneratorState(device_, present_); }

NamedTensors GeneratorStates() {
  NamedTensors states{{"cpu", GeneratorState(torch::kCPU)}};
  for (size_t i = 0; i < NumCudaDevices(); ++i) states.emplace(CudaName(i), GeneratorState(CudaDevice(i)));
  return states;
}

void RestoreGeneratorStates(const NamedTensors& states, const std::string& source) {
  const auto cpu = states.find("cpu");
  if (cpu == states.end())
    throw InputError(fmt::format("{}: the state of the CPU's random generator is missing", source));
  Restore(torch::kCPU, cpu->second, source);
  for (size_t i = 0; i < NumCudaDevices(); ++i) {
    const auto found = states.find(CudaName(i));
    if (found != states.end()) Restore(CudaDevice(i), found->second, source);
  }
}

}  // namespace haplospin
