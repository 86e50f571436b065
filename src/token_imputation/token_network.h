// SPIN, NPT and the Set Transformer on the token tables of genotype windows.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/context_network.h"
#include "token_imputation/token_window.h"

namespace haplospin {

// The options that determine the layers and their sizes. The defaults are those of SPIN's table 7: NPT-16, Set-TF-16,
// SPIN-16.
struct TokenNetworkOptions : ContextNetworkOptions {
  TokenNetworkOptions() { heads = 1; }

  TokenShape shape;
  bool share_classes = false;  // one vocabulary for all tokens, for a model that is shared by windows
  // The weights before training, with share_classes: of SPIN with f as many as tokens, or of NPT with e > K.
  bool starts_as_smoother = false;
};

// The options as JSON and back, without the weights' start. Reading throws nlohmann::json::exception where one is
// missing or of another type.
void to_json(nlohmann::json& json, const TokenNetworkOptions& options);
void from_json(const nlohmann::json& json, TokenNetworkOptions& options);

// As AreValid() of a ContextNetworkOptions, and the shape within bounds.
bool AreValid(const TokenNetworkOptions& options);

// Random weights from LibTorch's generator. `max_bytes` bounds the memory that SPIN takes to encode and predict, beside
// the table itself.
std::shared_ptr<ContextNetwork> MakeTokenNetwork(const TokenNetworkOptions& options, int64_t max_bytes);

// RowsWithin() for a row of the options' tokens.
int64_t TokenRowsWithin(const TokenNetworkOptions& options, int64_t max_bytes, bool training);

}  // namespace haplospin
