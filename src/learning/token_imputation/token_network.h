// SPIN, NPT and the Set Transformer on the token tables of genotype windows, and their model files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model_header.h"
#include "haplospin/marker.h"
#include "learning/models/context_network.h"
#include "learning/nn/named_tensors.h"
#include "learning/token_imputation/token_network_options.h"

namespace haplospin {

// Random weights from LibTorch's generator. `max_bytes` bounds the memory that SPIN takes to encode and predict, beside
// the table itself.
std::shared_ptr<ContextNetwork> MakeTokenNetwork(const TokenNetworkOptions& options, int64_t max_bytes);

// Returns RowsWithin() for rows of the options' tokens.
int64_t TokenRowsWithin(const TokenNetworkOptions& options, int64_t max_bytes, bool training);

// The one window that a model was trained for.
struct WindowSites {
  std::string contig;
  std::vector<Marker> inputs, targets;
};

struct TokenModelFile {
  TokenNetworkOptions network;
  std::optional<WindowSites> sites;  // empty for a model that many windows share
  NamedTensors weights;              // the network's
  torch::Tensor inducing_points;     // undefined: the panel is encoded at prediction
  Provenance provenance;
  std::map<std::string, std::string> results;  // figures of the training
  std::string path;
};

// Writes the whole file or none.
void WriteTokenModel(const std::string& path, const TokenModelFile& model);

// Throws InputError where the file is damaged or holds another model.
TokenModelFile ParseTokenModel(const Safetensors& file);

}  // namespace haplospin
