#include "tabular/pretrained/pretrained_network.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "nn/model_file.h"

namespace haplospin {

void WritePretrainedNetwork(const PretrainingOptions& options, const PretrainingResult& result,
                            const Provenance& provenance) {
  const nlohmann::json configuration = {
      {"network", options.network},           {"prior", options.prior},
      {"tables_per_step", options.tables},    {"learning_rate", options.learning_rate},
      {"weight_decay", options.weight_decay}, {"flat_share", options.flat_share},
      {"average_rate", options.average_rate}};
  std::map<std::string, std::string> results = {{"steps", std::to_string(result.training.steps)},
                                                {"seconds", fmt::format("{:.0f}", result.training.seconds)}};
  if (result.training.best.step > 0) {
    results["best_step"] = std::to_string(result.training.best.step);
    results["validation_loss"] = fmt::format("{:.4f}", -result.training.best.score);
  }
  WriteModelFile(options.out,
                 {.kind = ModelKind::kPretrainedTabular,
                  .configuration = configuration,
                  .provenance = provenance,
                  .results = results},
                 ModuleState(*result.network));
}

InContextNetwork ReadPretrainedNetwork(const std::string& path, torch::Device device) {
  const ModelFile file = ReadModelFile(path, ModelKind::kPretrainedTabular);
  InContextOptions options;
  ReadConfiguration(file.header.configuration, path,
                    [&](const nlohmann::json& json) { json.at("network").get_to(options); });
  return MakePretrainedNetwork(file, options, file.tensors, device);
}

InContextNetwork MakePretrainedNetwork(const ModelFile& file, const InContextOptions& options,
                                       const NamedTensors& weights, torch::Device device) {
  if (!AreValid(options)) throw DamagedModel(file.path, "its pretrained network's sizes are out of bounds");
  file.CheckHolds(MinWeights(options));
  InContextNetwork network(options);
  LoadModuleState(*network, weights, file.path);
  network->to(device);
  network->eval();
  return network;
}

}  // namespace haplospin
