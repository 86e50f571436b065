#include "models/context_network.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "models/architecture.h"

namespace haplospin {
namespace {

// Calls visit(name, field) for each option, so that one list serves writing and reading.
template <typename Options, typename Visit>
void VisitNetworkOptions(Options& options, const Visit& visit) {
  visit("architecture", options.architecture);
  visit("width", options.width);
  visit("depth", options.depth);
  visit("heads", options.heads);
  visit("inducing_points", options.inducing_points);
  visit("latent_attributes", options.latent_attributes);
  visit("layers", options.layers);
  visit("association_width", options.association_width);
  visit("dropout", options.dropout);
}

}  // namespace

void to_json(nlohmann::json& json, const ContextNetworkOptions& options) {
  VisitNetworkOptions(options, [&](const char* name, const auto& field) { json[name] = field; });
}

void from_json(const nlohmann::json& json, ContextNetworkOptions& options) {
  VisitNetworkOptions(options, [&](const char* name, auto& field) { json.at(name).get_to(field); });
}

bool AreValid(const ContextNetworkOptions& o) {
  constexpr std::array<std::string_view, 4> kLayers = {"all", "xabd", "xaba", "xaba-within-rows"};
  const auto within = [](int64_t value, int64_t low, int64_t high) { return value >= low && value <= high; };
  const Architecture* architecture = FindArchitecture(o.architecture);
  return architecture != nullptr && within(o.width, 1, 4096) && within(o.depth, 2, 256) && o.depth % 2 == 0 &&
         within(o.heads, 1, 256) && (!architecture->heads_divide_width || o.width % o.heads == 0) &&
         within(o.inducing_points, 1, 100000) && within(o.latent_attributes, 1, 65536) &&
         std::ranges::find(kLayers, o.layers) != kLayers.end() && within(o.association_width, 0, 65536) &&
         o.dropout >= 0.0 && o.dropout < 1.0;
}

std::shared_ptr<ContextNetwork> MakeContextNetwork(const ContextNetworkOptions& options,
                                                   const ContextNetworkTable& table) {
  return ArchitectureOf(options).make(options, table);
}

int64_t RowsWithin(const ContextNetworkOptions& options, int64_t d, int64_t max_bytes, bool training) {
  constexpr int64_t kFloatBytes = 4;
  // Vectors of a block's width that a MAB keeps of each row for the backward pass: queries, keys, values, output and
  // residual, and twice four of the feed-forward layer; and some that autograd copies.
  constexpr int64_t kVectorsPerMab = 24;
  const BlockCounts blocks = ArchitectureOf(options).blocks(options, training);
  const int64_t widths = (blocks.row * d + blocks.latent * options.latent_attributes) * options.width;
  return std::max<int64_t>(2, max_bytes / (kFloatBytes * kVectorsPerMab * widths));
}

MaskedTable JoinRows(const MaskedTable& first, const MaskedTable& second) {
  return {torch::cat({first.values, second.values}), torch::cat({first.masked, second.masked}),
          torch::cat({first.in_loss, second.in_loss})};
}

}  // namespace haplospin
