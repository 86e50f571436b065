#include "token_imputation/token_model_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "haplospin/errors.h"
#include "nn/tensor_file.h"

namespace haplospin {
namespace {

using nlohmann::json;

const std::string kVersion = "1";  // raised whenever old files would no longer mean the same
const std::string kNetwork = "network.";
const std::string kPoints = "inducing_points";

json SitesToJson(const std::vector<Marker>& markers) {
  json list = json::array();
  for (const Marker& marker : markers) list.push_back({marker.position, marker.ref, marker.alt});
  return list;
}

std::vector<Marker> SitesFromJson(const json& list) {
  std::vector<Marker> markers;
  for (const json& entry : list) {
    markers.push_back(
        {entry.at(0).get<int64_t>(), ".", entry.at(1).get<std::string>(), entry.at(2).get<std::string>()});
  }
  return markers;
}

WindowSites ParseSites(const std::string& text, const TokenShape& shape, const std::string& path) {
  try {
    const json object = json::parse(text);
    WindowSites sites{object.at("contig").get<std::string>(), SitesFromJson(object.at("inputs")),
                      SitesFromJson(object.at("targets"))};
    if (sites.inputs.size() == shape.inputs && sites.targets.size() == shape.targets) return sites;
  } catch (const json::exception&) {
  }
  throw InputError(path + ": its list of sites is damaged; train the model anew, or get the file again");
}

}  // namespace

void WriteTokenModel(const std::string& path, const TokenModelFile& model) {
  NamedTensors tensors;
  InsertWithPrefix(tensors, kNetwork, model.weights);
  if (model.inducing_points.defined()) tensors.emplace(kPoints, model.inducing_points);
  std::map<std::string, std::string> metadata = model.metadata;
  metadata["architecture"] = model.network.architecture;
  metadata["version"] = kVersion;
  metadata["configuration"] = ToJson(model.network);
  if (model.sites) {
    metadata["sites"] = json{{"contig", model.sites->contig},
                             {"inputs", SitesToJson(model.sites->inputs)},
                             {"targets", SitesToJson(model.sites->targets)}}
                            .dump();
  }
  WriteTensorFile(path, tensors, metadata);
}

TokenModelFile ParseTokenModel(const Safetensors& file) {
  if (file.Metadata("version") != kVersion) {
    throw InputError(
        fmt::format("{}: expected a {} model of version {}, found version {}; train the model anew, or "
                    "use the haplospin that made it",
                    file.path, file.Metadata("architecture"), kVersion, file.Metadata("version")));
  }
  TokenModelFile model{.network = TokenNetworkFromJson(file.Metadata("configuration"), file.path), .path = file.path};
  if (model.network.architecture != file.Metadata("architecture")) {
    throw InputError(fmt::format("{}: says that it is {}, but its configuration is of {}; get the file again",
                                 file.path, file.Metadata("architecture"), model.network.architecture));
  }
  if (file.metadata.contains("sites")) {
    model.sites = ParseSites(file.Metadata("sites"), model.network.shape, file.path);
  }
  NamedTensors tensors = FileTensors(file);
  const auto points = tensors.find(kPoints);
  if (points != tensors.end()) {
    const std::vector<int64_t> expected{model.network.inducing_points, model.network.latent_attributes,
                                        model.network.width};
    if (model.network.architecture != "spin" || !model.sites || points->second.sizes() != expected) {
      throw InputError(file.path + ": its inducing points do not fit its configuration; train the model anew");
    }
    model.inducing_points = points->second;
  }
  model.weights = WithoutPrefix(tensors, kNetwork);
  for (const auto& [name, tensor] : model.weights) {
    if (!tensor.isfinite().all().item<bool>()) {
      throw InputError(
          fmt::format("{}: the weights '{}' hold a value that is not a number; train the model anew, or "
                      "get the file again",
                      file.path, name));
    }
  }
  model.metadata = file.metadata;
  return model;
}

std::string SiteName(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{}:{}:{}", contig, marker.position, marker.ref, marker.alt);
}

}  // namespace haplospin
