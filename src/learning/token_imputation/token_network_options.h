// The options of a network for windows of tokens, without LibTorch: the program declares them as options of a command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/model_kind.h"
#include "learning/models/context_network_options.h"
#include "learning/token_imputation/kmer_tokens.h"

namespace haplospin {

inline constexpr ModelKind kTokenModel = {"token", 1, "a token model", "haplospin train --arch spin"};

inline constexpr size_t kMaxModelKmer = 8;  // a class is a byte

struct TokenShape {
  size_t kmer = kDefaultKmer;
  size_t inputs = 150;   // array sites
  size_t targets = 100;  // markers to impute
  // The bits of a token are minor alleles of the panel instead of ALT alleles. K-mer 0 is then the most common in every
  // window, which a model shared by windows needs.
  bool minor_alleles = false;

  size_t input_tokens() const { return NumKmerTokens(inputs, kmer); }
  size_t target_tokens() const { return NumKmerTokens(targets, kmer); }
  size_t tokens() const { return input_tokens() + target_tokens(); }  // the columns of a table, inputs first
  int64_t classes() const { return int64_t{1} << kmer; }

  bool operator==(const TokenShape&) const = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TokenShape, kmer, inputs, targets, minor_alleles)

// The options that determine the layers and their sizes. The defaults are those of SPIN's table 7: NPT-16, Set-TF-16,
// SPIN-16.
struct TokenNetworkOptions : ContextNetworkOptions {
  TokenNetworkOptions() { heads = 1; }

  TokenShape shape;
  bool share_classes = false;  // the vocabulary is the same for all tokens: a model shared by windows
  // The weights before training, with share_classes: of SPIN with f as many as tokens, or of NPT with e > K.
  bool starts_as_smoother = false;
};

// The options as JSON and back, without the weights' start. Reading throws nlohmann::json::exception where one is
// missing or of another type.
void to_json(nlohmann::json& json, const TokenNetworkOptions& options);
void from_json(const nlohmann::json& json, TokenNetworkOptions& options);

// Returns AreValid() of the ContextNetworkOptions, and whether the shape is within bounds.
bool AreValid(const TokenNetworkOptions& options);

}  // namespace haplospin
