// Compares each kernel on a device with the CPU's function for it.
#pragma once

#include <array>
#include <cstdint>

#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/models/network/imputer_weights.h"

namespace haplospin {

// Imputes a small simulated study, some of whose samples are not phased or have errors of phase, with both. Returns the
// largest difference of what each kernel sets: relative to the CPU's value where this is larger than 1.
std::array<double, kNumKernels> CompareKernels(Device& device, const ImputerWeights& weights, uint64_t seed);

}  // namespace haplospin
