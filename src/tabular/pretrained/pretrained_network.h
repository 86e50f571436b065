// The file of a network that was trained on synthetic tables.
#pragma once

#include <string>

#include "nn/model_file.h"
#include "tabular/pretrained/pretraining.h"

namespace haplospin {

// With the settings of the training and what came of it.
void WritePretrainedNetwork(const PretrainingOptions& options, const PretrainingResult& result,
                            const Provenance& provenance);

// Throws InputError if the file is damaged or of another kind.
InContextNetwork ReadPretrainedNetwork(const std::string& path, torch::Device device);

// With weights of the file. Throws InputError where they do not fit the options.
InContextNetwork MakePretrainedNetwork(const ModelFile& file, const InContextOptions& options,
                                       const NamedTensors& weights, torch::Device device);

}  // namespace haplospin
