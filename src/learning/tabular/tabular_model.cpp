#include "learning/tabular/tabular_model.h"

#include <fmt/format.h>

#include <utility>

#include "haplospin/errors.h"
#include "learning/models/context_network.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxTreeNodes = 1 << 16;
constexpr size_t kMaxMembers = 1000;
constexpr char kRowValues[] = "rows.values", kRowMissing[] = "rows.missing", kErrorPrefix[] = "errors.",
               kGains[] = "gains";

std::string NetworkPrefix(size_t network) { return fmt::format("network.{}.", network); }
std::string LinearPrefix(size_t fit) { return fmt::format("fit.{}.linear.", fit); }
std::string TreesPrefix(size_t fit) { return fmt::format("fit.{}.trees.", fit); }
std::string InducingPointsName(size_t network) { return fmt::format("inducing_points.{}", network); }

EncodedTable ReadRows(const ModelFile& file, int64_t columns) {
  const torch::Tensor& values = file.At(kRowValues, {-1, columns});
  if (values.size(0) == 0) throw DamagedModel(file.path, "it holds no rows");
  const torch::Tensor& missing = file.At(kRowMissing, values.sizes());
  return EncodedTable{values.to(torch::kFloat32), missing.to(torch::kBool)};
}

TableFit ReadFit(const ModelFile& file, size_t index, const Attributes& attributes, const torch::Tensor& is_target) {
  TableFit fit(attributes, is_target);
  LoadModuleState(*fit.linear, WithoutPrefix(file.tensors, LinearPrefix(index)), file.path);
  const int64_t trees = file.At(TreesPrefix(index) + "target", {-1}).size(0);
  const int64_t nodes = file.At(TreesPrefix(index) + "compared", {trees, -1}).size(1);
  if (nodes > kMaxTreeNodes) throw DamagedModel(file.path, fmt::format("its trees have {} nodes", nodes));
  fit.trees->Resize(trees, nodes);
  LoadModuleState(*fit.trees, WithoutPrefix(file.tensors, TreesPrefix(index)), file.path);
  fit.trees->Check(file.path);
  return fit;
}

}  // namespace

PartPredictions TableFit::Predict(const EncodedTable& rows, const Attributes& attributes,
                                  const torch::Tensor& is_target, bool with_trees) const {
  const MaskedTable query = rows.Query(is_target);
  PartPredictions predictions{.linear = ToProbabilities(linear->forward(query), attributes), .parts = {}};
  if (with_trees) predictions.parts[kTrees] = ToProbabilities(trees->forward(query), attributes);
  return predictions;
}

TabularModel::TabularModel(TabularParts parts, torch::Device device)
    : parts_(std::move(parts)),
      device_(device),
      attributes_(parts_.encoder.attributes()),
      is_target_(parts_.encoder.IsTarget().to(device)) {
  for (const TableFit& fit : parts_.fits) {
    fit.linear->to(device);
    fit.trees->to(device);
  }
  for (const auto& network : parts_.networks) {
    network->to(device);
    network->eval();
  }
  parts_.errors->to(device);
  if (parts_.context.values.defined()) {
    parts_.context = parts_.context.To(device);
    known_ = Encode(parts_.context);
    return;
  }
  for (const torch::Tensor& points : parts_.inducing_points) known_.network_contexts.push_back({{}, points.to(device)});
}

TabularModel::Known TabularModel::Encode(const EncodedTable& context) const {
  const torch::NoGradGuard no_grad;
  Known known;
  for (const auto& network : parts_.networks) {
    known.network_contexts.push_back(network->Encode(context.Masked()));
  }
  if (Uses(kGaussianProcesses)) {
    known.gaussian_processes.emplace(context.To(torch::kCPU), attributes_, parts_.encoder.IsTarget(), parts_.seed,
                                     /*with_trees=*/false);
  }
  return known;
}

// The mean over the fits.
PartPredictions TabularModel::MeanFit(const EncodedTable& rows, bool with_trees) const {
  std::vector<torch::Tensor> linear, trees;
  for (const TableFit& fit : parts_.fits) {
    const PartPredictions predicted = fit.Predict(rows, attributes_, is_target_, with_trees);
    linear.push_back(predicted.linear);
    if (with_trees) trees.push_back(predicted.parts[kTrees]);
  }
  PartPredictions mean{.linear = torch::stack(linear).mean(0), .parts = {}};
  if (with_trees) mean.parts[kTrees] = torch::stack(trees).mean(0);
  return mean;
}

torch::Tensor TabularModel::PredictWith(const Known& known, const EncodedTable& rows) const {
  const EncodedTable query = rows.To(device_);
  PartPredictions predictions = MeanFit(query, Uses(kTrees));
  if (known.gaussian_processes) {
    predictions.parts[kGaussianProcesses] = known.gaussian_processes->Predict(rows.To(torch::kCPU)).values.to(device_);
  }
  if (Uses(kNetworks)) {
    std::vector<torch::Tensor> predicted;
    for (size_t i = 0; i < parts_.networks.size(); ++i) {
      predicted.push_back(
          PredictInBlocks(*parts_.networks[i], known.network_contexts[i], query, attributes_, is_target_));
    }
    predictions.parts[kNetworks] = torch::stack(predicted).mean(0);
  }
  return Combine(predictions, parts_.gains).cpu();
}

torch::Tensor TabularModel::Predict(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return PredictWith(known_, rows);
}

torch::Tensor TabularModel::PredictFrom(const EncodedTable& context, const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return PredictWith(Encode(context.To(device_)), rows);
}

torch::Tensor TabularModel::PredictLinear(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return MeanFit(rows.To(device_), /*with_trees=*/false).linear.cpu();
}

torch::Tensor TabularModel::Deviations(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  return parts_.errors->Deviations(rows.To(device_).Query(is_target_)).cpu();
}

torch::Tensor TabularModel::QuantileDistances(const EncodedTable& rows,
                                              const std::vector<double>& probabilities) const {
  const torch::NoGradGuard no_grad;
  return Deviations(rows).unsqueeze(2) * parts_.errors->Quantiles(probabilities);
}

torch::Tensor TabularModel::ContextWeights(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  HS_ASSERT(parts_.context.values.defined() && !parts_.networks.empty());
  const MaskedTable query = rows.To(device_).Query(is_target_);
  std::vector<torch::Tensor> weights;
  for (size_t i = 0; i < parts_.networks.size(); ++i) {
    weights.push_back(parts_.networks[i]->ContextWeights(known_.network_contexts[i], query));
  }
  return torch::stack(weights).mean(0).cpu();
}

void TabularModel::Save(const std::string& path, bool encoded, const Provenance& provenance) const {
  HS_ASSERT(!encoded || (FindArchitecture(parts_.network).encodes && !Uses(kGaussianProcesses)));
  NamedTensors tensors;
  InsertWithPrefix(tensors, kErrorPrefix, ModuleState(*parts_.errors));
  tensors[kGains] = parts_.gains;
  for (size_t i = 0; i < parts_.fits.size(); ++i) {
    InsertWithPrefix(tensors, LinearPrefix(i), ModuleState(*parts_.fits[i].linear));
    InsertWithPrefix(tensors, TreesPrefix(i), ModuleState(*parts_.fits[i].trees));
  }
  for (size_t i = 0; i < parts_.networks.size(); ++i) {
    InsertWithPrefix(tensors, NetworkPrefix(i), ModuleState(*parts_.networks[i]));
    if (encoded) tensors[InducingPointsName(i)] = known_.network_contexts[i].inducing_points;
  }
  if (!encoded) {
    tensors[kRowValues] = parts_.context.values;
    tensors[kRowMissing] = parts_.context.missing;
  }
  const nlohmann::json configuration = {{"model", parts_.name},
                                        {"network", parts_.network},
                                        {"members", parts_.networks.size()},
                                        {"fits", parts_.fits.size()},
                                        {"encoded", encoded},
                                        {"seed", parts_.seed},
                                        {"table", parts_.encoder.ToJson()}};
  WriteModelFile(path, {.kind = kTabularModel, .configuration = configuration, .provenance = provenance}, tensors);
}

TabularModel TabularModel::Load(const std::string& path, torch::Device device) {
  const ModelFile file = ReadModelFile(path, kTabularModel);
  std::string name;
  ContextNetworkOptions network;
  nlohmann::json table;
  size_t members = 0, fits = 0;
  bool encoded = false;
  uint64_t seed = 0;
  ReadConfiguration(file.header.configuration, path, [&](const nlohmann::json& json) {
    json.at("model").get_to(name);
    json.at("network").get_to(network);
    json.at("members").get_to(members);
    json.at("fits").get_to(fits);
    json.at("encoded").get_to(encoded);
    json.at("seed").get_to(seed);
    table = json.at("table");
  });
  if (!AreValid(network)) throw DamagedModel(path, "its network's sizes are out of bounds");
  TabularParts parts{.name = name, .encoder = TableEncoder(table, path), .seed = seed, .network = network};
  const Architecture& architecture = FindArchitecture(network);
  if (members > kMaxMembers || fits == 0 || fits > kMaxMembers || (encoded && !architecture.encodes)) {
    throw DamagedModel(path, "its configuration contradicts itself");
  }
  const Attributes attributes = parts.encoder.attributes();
  const torch::Tensor is_target = parts.encoder.IsTarget();
  const int64_t columns = std::ssize(attributes);
  file.CheckHolds(static_cast<double>(members) * architecture.min_weights(network, static_cast<double>(columns)));
  parts.errors = std::make_shared<PredictionErrorModel>(attributes, is_target);
  LoadModuleState(*parts.errors, WithoutPrefix(file.tensors, kErrorPrefix), path);
  parts.gains = file.At(kGains, {kModelParts, columns}).to(torch::kFloat32);
  if (encoded && parts.gains[kGaussianProcesses].any().item<bool>()) {
    throw DamagedModel(path, "it has no rows but predicts from them");
  }
  for (size_t i = 0; i < fits; ++i) parts.fits.push_back(ReadFit(file, i, attributes, is_target));
  for (size_t i = 0; i < members; ++i) {
    parts.networks.push_back(MakeTabularNetwork(network, parts.fits[i % fits].linear, attributes, is_target));
    LoadModuleState(*parts.networks.back(), WithoutPrefix(file.tensors, NetworkPrefix(i)), path);
    if (!encoded) continue;
    parts.inducing_points.push_back(
        file.At(InducingPointsName(i), {network.inducing_points, network.latent_attributes, network.width}));
  }
  if (!encoded) parts.context = ReadRows(file, columns);
  return {std::move(parts), device};
}

}  // namespace haplospin
