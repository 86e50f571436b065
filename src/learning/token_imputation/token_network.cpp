#include "learning/token_imputation/token_network.h"

#include <fmt/format.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>

#include "learning/models/context_network.h"
#include "learning/nn/model_file.h"
#include "learning/token_imputation/token_window.h"

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

using nlohmann::json;

constexpr char kNetwork[] = "network", kSites[] = "sites";
const std::string kNetworkPrefix = "network.";
const std::string kPoints = "inducing_points";

json MarkersToJson(const std::vector<Marker>& markers) {
  json list = json::array();
  for (const Marker& marker : markers) list.push_back({marker.position, marker.ref, marker.alt});
  return list;
}

std::vector<Marker> MarkersFromJson(const json& list) {
  std::vector<Marker> markers;
  for (const json& entry : list) {
    markers.push_back(
        {entry.at(0).get<int64_t>(), ".", entry.at(1).get<std::string>(), entry.at(2).get<std::string>()});
  }
  return markers;
}

json SitesToJson(const WindowSites& sites) {
  return {{"contig", sites.contig}, {"inputs", MarkersToJson(sites.inputs)}, {"targets", MarkersToJson(sites.targets)}};
}

WindowSites SitesFromJson(const json& object) {
  return {object.at("contig").get<std::string>(), MarkersFromJson(object.at("inputs")),
          MarkersFromJson(object.at("targets"))};
}

void CheckConfiguration(const TokenModelFile& model) {
  if (!AreValid(model.network)) throw DamagedModel(model.path, "its network's sizes are out of bounds");
  const TokenShape& shape = model.network.shape;
  if (model.sites && (model.sites->inputs.size() != shape.inputs || model.sites->targets.size() != shape.targets)) {
    throw DamagedModel(model.path, "its lists of sites do not fit its network");
  }
}

}  // namespace

void to_json(nlohmann::json& json, const TokenNetworkOptions& options) {
  to_json(json, static_cast<const ContextNetworkOptions&>(options));
  json.update(nlohmann::json(options.shape));
  json["share_classes"] = options.share_classes;
}

void from_json(const nlohmann::json& json, TokenNetworkOptions& options) {
  from_json(json, static_cast<ContextNetworkOptions&>(options));
  json.get_to(options.shape);
  json.at("share_classes").get_to(options.share_classes);
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

void WriteTokenModel(const std::string& path, const TokenModelFile& model) {
  NamedTensors tensors;
  InsertWithPrefix(tensors, kNetworkPrefix, model.weights);
  if (model.inducing_points.defined()) tensors.emplace(kPoints, model.inducing_points);
  ModelHeader header{.kind = kTokenModel,
                     .configuration = {{kNetwork, model.network}},
                     .provenance = model.provenance,
                     .results = model.results};
  if (model.sites) header.configuration[kSites] = SitesToJson(*model.sites);
  WriteModelFile(path, header, tensors);
}

TokenModelFile ParseTokenModel(const Safetensors& file) {
  const ModelFile read = ParseModelFile(file, kTokenModel);
  TokenModelFile model{.provenance = read.header.provenance, .results = read.header.results, .path = read.path};
  ReadConfiguration(read.header.configuration, read.path, [&](const json& configuration) {
    configuration.at(kNetwork).get_to(model.network);
    if (configuration.contains(kSites)) model.sites = SitesFromJson(configuration.at(kSites));
  });
  CheckConfiguration(model);
  const Architecture& architecture = FindArchitecture(model.network);
  read.CheckHolds(architecture.min_weights(model.network, static_cast<double>(model.network.shape.tokens())));
  if (read.tensors.contains(kPoints)) {
    if (!architecture.encodes || !model.sites) throw DamagedModel(read.path, "it is not a model that encodes a panel");
    const TokenNetworkOptions& network = model.network;
    model.inducing_points = read.At(kPoints, {network.inducing_points, network.latent_attributes, network.width});
  }
  model.weights = WithoutPrefix(read.tensors, kNetworkPrefix);
  return model;
}

}  // namespace haplospin
