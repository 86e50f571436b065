// Imputes samples on a GPU. The search for matches, the choice of states and phasing run on the CPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/models/network/imputer_weights.h"

namespace haplospin {

// Opens the GPU of --device, "cuda" or "cuda:N"; throws InputError if it is not available.
std::shared_ptr<Device> OpenGpu(const std::string& device);

// Writes the time of each kernel to the log file in the end. Samples that are imputed together take at most
// `max_host_bytes` of the host's memory, besides the window.
std::unique_ptr<Backend> MakeGpuBackend(std::shared_ptr<Device> device, const ImputerWeights& weights,
                                        size_t max_host_bytes);

}  // namespace haplospin
