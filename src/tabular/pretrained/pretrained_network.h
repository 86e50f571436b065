// The file of a network that was trained on synthetic tables.
#pragma once

#include <string>

#include "tabular/pretrained/pretraining.h"

namespace haplospin {

// With the settings of the training and what came of it.
void WritePretrainedNetwork(const PretrainingOptions& options, const PretrainingResult& result,
                            const Provenance& provenance);

// Throws InputError if the file is damaged or of another kind.
InContextNetwork ReadPretrainedNetwork(const std::string& path, torch::Device device);

// That of the installation.
std::string PretrainedNetworkPath();

}  // namespace haplospin
