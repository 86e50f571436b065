#include "token_imputation/token_network.h"

#include <fmt/format.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "haplospin/errors.h"
#include "models/npt.h"
#include "models/set_transformer.h"

namespace haplospin {
namespace {

using nlohmann::json;

constexpr int64_t kFloatBytes = 4;
// Vectors of a block's width that a MAB keeps of each row for the backward pass: queries, keys, values, output and
// residual, and twice four of the feed-forward layer; and some that autograd copies.
constexpr int64_t kVectorsPerMab = 24;
// Larger sizes are no model of ours but a damaged file.
constexpr int64_t kMaxTokens = 4096, kMaxWidth = 4096, kMaxDepth = 256, kMaxPoints = 100000, kMaxRowWidth = 1 << 18;

// Starting vectors of K-mers, [2^k, e]: those that share alleles are near each other.
torch::Tensor KmerVectors(const TokenShape& shape, int64_t width) {
  const auto k = static_cast<int64_t>(shape.kmer);
  const torch::Tensor kmers = torch::arange(shape.classes()).unsqueeze(1);
  const torch::Tensor alleles = kmers.bitwise_right_shift(torch::arange(k)).bitwise_and(1) * 2 - 1;  // -1 or 1
  const torch::Tensor directions = torch::nn::init::orthogonal_(torch::empty({k, width}));
  return torch::matmul(alleles.to(torch::kFloat32), directions) * std::sqrt(static_cast<double>(width) / k);
}

template <typename Options>
Options ModelOptions(const TokenNetworkOptions& options) {
  Options model;
  model.attributes = TokenAttributes(options.shape);
  model.width = options.width;
  model.depth = options.depth;
  model.heads = options.heads;
  model.attention_dropout = options.dropout;
  model.hidden_dropout = options.dropout;
  model.share_classes = options.share_classes;
  if (options.starts_as_smoother) model.smoothed_classes = KmerVectors(options.shape, options.width);
  return model;
}

SpinOptions SpinModelOptions(const TokenNetworkOptions& options, int64_t rows_per_block) {
  auto spin = ModelOptions<SpinOptions>(options);
  spin.inducing_points = options.inducing_points;
  spin.latent_attributes = options.latent_attributes;
  spin.rows_per_block = rows_per_block;
  spin.xabd = options.layers != "xaba";
  spin.xaba = options.layers != "xabd";
  if (options.layers != "all") spin.abla = AblaPlacement::kNone;
  return spin;
}

std::shared_ptr<TableModel> MakeModel(const TokenNetworkOptions& options, int64_t rows_per_block) {
  if (options.architecture == "npt") {
    return std::make_shared<NptImpl>(ModelOptions<NptOptions>(options));
  }
  if (options.architecture == "set-transformer") {
    auto set = ModelOptions<SetTransformerOptions>(options);
    set.inducing_points = options.inducing_points;
    set.latent_attributes = options.latent_attributes;
    return std::make_shared<SetTransformerImpl>(set);
  }
  HS_ASSERT(options.architecture == "spin");
  return std::make_shared<SpinImpl>(SpinModelOptions(options, rows_per_block));
}

bool IsSane(const TokenNetworkOptions& o) {
  const TokenShape& shape = o.shape;
  if (!IsTokenArchitecture(o.architecture) || shape.kmer < 1 || shape.kmer > kMaxModelKmer) return false;
  if (shape.inputs < 1 || shape.targets < 1 || shape.inputs > kMaxTokens || shape.targets > kMaxTokens) return false;
  if (o.width < 1 || o.width > kMaxWidth || o.depth < 2 || o.depth > kMaxDepth || o.depth % 2 != 0) return false;
  if (o.heads < 1 || o.width % o.heads != 0) return false;
  if (o.width * static_cast<int64_t>(shape.tokens()) > kMaxRowWidth) return false;
  if (o.inducing_points < 1 || o.inducing_points > kMaxPoints) return false;
  if (o.latent_attributes < 1 || o.latent_attributes * o.width > kMaxRowWidth) return false;
  return o.layers == "all" || o.layers == "xabd" || o.layers == "xaba";
}

MaskedTable Concatenated(const MaskedTable& a, const MaskedTable& b) {
  return {torch::cat({a.values, b.values}), torch::cat({a.masked, b.masked}), torch::cat({a.in_loss, b.in_loss})};
}

}  // namespace

std::string ToJson(const TokenNetworkOptions& options) {
  return json{{"architecture", options.architecture},
              {"kmer", options.shape.kmer},
              {"inputs", options.shape.inputs},
              {"targets", options.shape.targets},
              {"minor_alleles", options.shape.minor_alleles},
              {"share_classes", options.share_classes},
              {"width", options.width},
              {"depth", options.depth},
              {"heads", options.heads},
              {"inducing_points", options.inducing_points},
              {"latent_attributes", options.latent_attributes},
              {"layers", options.layers}}
      .dump();
}

TokenNetworkOptions TokenNetworkFromJson(const std::string& text, const std::string& source) {
  TokenNetworkOptions options;
  try {
    const json object = json::parse(text);
    object.at("architecture").get_to(options.architecture);
    object.at("kmer").get_to(options.shape.kmer);
    object.at("inputs").get_to(options.shape.inputs);
    object.at("targets").get_to(options.shape.targets);
    object.at("minor_alleles").get_to(options.shape.minor_alleles);
    object.at("share_classes").get_to(options.share_classes);
    object.at("width").get_to(options.width);
    object.at("depth").get_to(options.depth);
    object.at("heads").get_to(options.heads);
    object.at("inducing_points").get_to(options.inducing_points);
    object.at("latent_attributes").get_to(options.latent_attributes);
    object.at("layers").get_to(options.layers);
  } catch (const json::exception&) {
    throw InputError(source + ": its configuration is damaged; train the model anew, or get the file again");
  }
  if (!IsSane(options)) {
    throw InputError(
        fmt::format("{}: its configuration {} is none of haplospin's; train the model anew", source, text));
  }
  return options;
}

bool IsTokenArchitecture(const std::string& architecture) {
  return architecture == "spin" || architecture == "npt" || architecture == "set-transformer";
}

TokenNetwork::TokenNetwork(const TokenNetworkOptions& options, int64_t max_bytes)
    : options_(options), model_(MakeModel(options, RowsWithin(max_bytes, /*training=*/false))) {
  spin_ = dynamic_cast<SpinImpl*>(model_.get());
}

int64_t TokenNetwork::RowsWithin(int64_t max_bytes, bool training) const {
  const int64_t row = static_cast<int64_t>(options_.shape.tokens()) * options_.width;
  const int64_t latent = options_.latent_attributes * options_.width;
  // MABs at the row's width, and for SPIN those at the latent attributes'.
  int64_t blocks = 1, latent_blocks = 0;
  if (training && options_.architecture != "spin") {
    blocks = options_.architecture == "npt" ? options_.depth : 2 * options_.depth;
  }
  if (options_.architecture == "spin") latent_blocks = 2 * (training ? options_.depth : 1);
  const int64_t bytes = kFloatBytes * kVectorsPerMab * (blocks * row + latent_blocks * latent);
  return std::max<int64_t>(2, max_bytes / bytes);
}

torch::Tensor TokenNetwork::Predict(const MaskedTable& context, const MaskedTable& query) {
  if (spin_ != nullptr) return PredictFrom(query, Encode(context));
  const int64_t n = context.values.size(0);
  return model_->forward(Concatenated(context, query)).narrow(0, n, query.values.size(0));
}

torch::Tensor TokenNetwork::Encode(const MaskedTable& context) {
  HS_ASSERT(spin_ != nullptr);
  return spin_->Encode(context);
}

torch::Tensor TokenNetwork::PredictFrom(const MaskedTable& query, const torch::Tensor& inducing_points) {
  HS_ASSERT(spin_ != nullptr);
  return spin_->Predict(query, inducing_points);
}

}  // namespace haplospin
