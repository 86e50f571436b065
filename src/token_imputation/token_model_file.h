// A trained SPIN, NPT or Set Transformer in a safetensors file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/safetensors.h"
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
  std::optional<WindowSites> sites;             // none: the model imputes any window
  NamedTensors weights;                         // of the network
  torch::Tensor inducing_points;                // undefined: the panel is encoded at prediction
  std::map<std::string, std::string> metadata;  // further entries: command, data, figures
  std::string path;
};

// Written whole or not at all.
void WriteTokenModel(const std::string& path, const TokenModelFile& model);

// Throws InputError where the file is damaged or holds another architecture.
TokenModelFile ParseTokenModel(const Safetensors& file);

// "20:61098:C:T".
std::string SiteName(const std::string& contig, const Marker& marker);

}  // namespace haplospin
