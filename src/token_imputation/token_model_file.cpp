#include "token_imputation/token_model_file.h"

#include <fmt/format.h>

#include "models/context_network.h"
#include "nn/model_file.h"

namespace haplospin {
namespace {

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

void WriteTokenModel(const std::string& path, const TokenModelFile& model) {
  NamedTensors tensors;
  InsertWithPrefix(tensors, kNetworkPrefix, model.weights);
  if (model.inducing_points.defined()) tensors.emplace(kPoints, model.inducing_points);
  ModelHeader header{.kind = ModelKind::kToken,
                     .configuration = {{kNetwork, model.network}},
                     .provenance = model.provenance,
                     .results = model.results};
  if (model.sites) header.configuration[kSites] = SitesToJson(*model.sites);
  WriteModelFile(path, header, tensors);
}

TokenModelFile ParseTokenModel(const Safetensors& file) {
  const ModelFile read = ParseModelFile(file, ModelKind::kToken);
  TokenModelFile model{.provenance = read.header.provenance, .results = read.header.results, .path = read.path};
  ReadConfiguration(read.header.configuration, read.path, [&](const json& configuration) {
    configuration.at(kNetwork).get_to(model.network);
    if (configuration.contains(kSites)) model.sites = SitesFromJson(configuration.at(kSites));
  });
  CheckConfiguration(model);
  const Architecture& architecture = ArchitectureOf(model.network);
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
