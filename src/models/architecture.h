// The architectures that a ContextNetwork can have, by the names of ArchitectureNames().
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/context_network.h"

namespace haplospin {

// Numbers of MABs that a row passes through at the width of its d attributes, and at that of its f latent attributes.
struct BlockCounts {
  int64_t row = 0, latent = 0;
};

struct Architecture {
  const char* name;  // used in options and model files

  bool encodes;             // Encode() makes inducing points, which are all that Predict() needs of a context
  bool trains_from_memory;  // see ContextNetwork::Train()
  bool masks_chunks;        // training on tables hides all targets of some rows rather than some targets of all rows
  bool heads_divide_width;  // the width must be a multiple of the heads

  std::shared_ptr<ContextNetwork> (*make)(const ContextNetworkOptions& options, const ContextNetworkTable& table);

  // The numbers in training, or in predicting one block of rows at a time.
  BlockCounts (*blocks)(const ContextNetworkOptions& options, bool training);

  // A lower bound of the number of weights of a network for d attributes.
  double (*min_weights)(const ContextNetworkOptions& options, double d);

  // Tells whether a network can start as a smoother (TableModelOptions) on d attributes whose classes' vectors have
  // this rank.
  bool (*can_start_as_smoother)(const ContextNetworkOptions& options, int64_t d, int64_t rank);
};

// Returns null if the name is unknown.
const Architecture* FindArchitecture(const std::string& name);

// The architecture of valid options.
const Architecture& ArchitectureOf(const ContextNetworkOptions& options);

}  // namespace haplospin
