// A trained SPIN, NPT or Set Transformer for windows of genotypes in a model file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model_header.h"
#include "haplospin/marker.h"
#include "nn/named_tensors.h"
#include "token_imputation/token_network.h"

namespace haplospin {

// The one window that a model was trained for.
struct WindowSites {
  std::string contig;
  std::vector<Marker> inputs, targets;
};

struct TokenModelFile {
  TokenNetworkOptions network;
  std::optional<WindowSites> sites;  // only of a model that imputes one window
  NamedTensors weights;              // the network's
  torch::Tensor inducing_points;     // undefined: the panel is encoded at prediction
  Provenance provenance;
  std::map<std::string, std::string> results;  // figures of the training
  std::string path;
};

// Written completely or not at all.
void WriteTokenModel(const std::string& path, const TokenModelFile& model);

// Throws InputError where the file is damaged or holds another model.
TokenModelFile ParseTokenModel(const Safetensors& file);

}  // namespace haplospin
