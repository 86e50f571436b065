// The backend of --device, which is opened while files are read.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/models/network/imputer_weights.h"

namespace haplospin {

// `device` is cpu, cuda, cuda:N or auto, which is the first GPU or, if there is none, the CPU; the log says which, and
// why. Samples that are imputed together on a GPU take at most `max_host_bytes` of the host's memory. Where a GPU that
// was asked for is not available, the first call of the backend throws InputError.
std::unique_ptr<Backend> OpenBackend(const std::string& device, const ImputerWeights& weights, size_t max_host_bytes);

}  // namespace haplospin
