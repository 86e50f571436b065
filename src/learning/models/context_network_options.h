// The options of a ContextNetwork, without LibTorch: the program declares them as options of its commands.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace haplospin {

// The architectures that learn tables, and those of them that impute windows of genotypes.
inline std::vector<std::string> ArchitectureNames() { return {"hopular", "spin", "npt", "set-transformer"}; }
inline std::vector<std::string> WindowArchitectureNames() { return {"spin", "npt", "set-transformer"}; }

// The options of a network that a user chooses. An architecture ignores those that it does not have.
struct ContextNetworkOptions {
  std::string architecture = "spin";  // a name of ArchitectureNames()
  int64_t width = 16;                 // e: width of each entry's vector
  // Layers, half of them between rows and half between attributes, even; Hopular has depth / 2 blocks of both.
  int64_t depth = 4;
  int64_t heads = 4;               // Hopfield networks in each module of Hopular
  int64_t inducing_points = 10;    // h of SPIN and the Set Transformer
  int64_t latent_attributes = 10;  // f of SPIN and the Set Transformer
  std::string layers = "all";      // sublayers of SPIN (table 6): all, xabd, xaba or xaba-within-rows
  int64_t association_width = 0;   // Hopular's h; 0: d e / M
  double dropout = 0.1;            // dropout rate in training
};

// The options as JSON and back. Reading throws nlohmann::json::exception where one is missing or of another type.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ContextNetworkOptions, architecture, width, depth, heads, inducing_points,
                                   latent_attributes, layers, association_width, dropout)

// Returns whether a network can be built: the architecture is known, and the sizes are within bounds and fit each
// other.
bool AreValid(const ContextNetworkOptions& options);

}  // namespace haplospin
