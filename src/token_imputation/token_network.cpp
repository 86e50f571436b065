#include "token_imputation/token_network.h"

#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>

#include "token_imputation/token_window.h"

namespace haplospin {
namespace {

// Initial vectors of K-mers, [2^k, e]: K-mers that share alleles have similar vectors.
torch::Tensor KmerVectors(const TokenShape& shape, int64_t width) {
  const auto k = static_cast<int64_t>(shape.kmer);
  const torch::Tensor kmers = torch::arange(shape.classes()).unsqueeze(1);
  const torch::Tensor alleles = kmers.bitwise_right_shift(torch::arange(k)).bitwise_and(1) * 2 - 1;  // -1 or 1
  const torch::Tensor directions = torch::nn::init::orthogonal_(torch::empty({k, width}));
  return torch::matmul(alleles.to(torch::kFloat32), directions) * std::sqrt(static_cast<double>(width) / k);
}

// Calls visit(name, field) for each option that is not one of ContextNetworkOptions.
template <typename Options, typename Visit>
void VisitTokenOptions(Options& options, const Visit& visit) {
  visit("kmer", options.shape.kmer);
  visit("inputs", options.shape.inputs);
  visit("targets", options.shape.targets);
  visit("minor_alleles", options.shape.minor_alleles);
  visit("share_classes", options.share_classes);
}

}  // namespace

void to_json(nlohmann::json& json, const TokenNetworkOptions& options) {
  to_json(json, static_cast<const ContextNetworkOptions&>(options));
  VisitTokenOptions(options, [&](const char* name, const auto& field) { json[name] = field; });
}

void from_json(const nlohmann::json& json, TokenNetworkOptions& options) {
  from_json(json, static_cast<ContextNetworkOptions&>(options));
  VisitTokenOptions(options, [&](const char* name, auto& field) { json.at(name).get_to(field); });
}

bool AreValid(const TokenNetworkOptions& options) {
  constexpr size_t kMaxSites = 4096;
  const TokenShape& shape = options.shape;
  const auto within = [](size_t value, size_t high) { return value >= 1 && value <= high; };
  const std::vector<std::string> names = WindowArchitectureNames();
  return AreValid(static_cast<const ContextNetworkOptions&>(options)) &&
         std::ranges::find(names, options.architecture) != names.end() && within(shape.kmer, kMaxModelKmer) &&
         within(shape.inputs, kMaxSites) && within(shape.targets, kMaxSites);
}

std::shared_ptr<ContextNetwork> MakeTokenNetwork(const TokenNetworkOptions& options, int64_t max_bytes) {
  ContextNetworkTable table{.attributes = TokenAttributes(options.shape),
                            .share_classes = options.share_classes,
                            .rows_per_block = TokenRowsWithin(options, max_bytes, /*training=*/false)};
  if (options.starts_as_smoother) table.smoothed_classes = KmerVectors(options.shape, options.width);
  return MakeContextNetwork(options, table);
}

int64_t TokenRowsWithin(const TokenNetworkOptions& options, int64_t max_bytes, bool training) {
  return RowsWithin(options, static_cast<int64_t>(options.shape.tokens()), max_bytes, training);
}

}  // namespace haplospin
