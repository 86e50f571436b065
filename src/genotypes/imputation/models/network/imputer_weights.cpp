#include "genotypes/imputation/models/network/imputer_weights.h"

#include <fmt/format.h>

#include <cmath>

#include "core/model_header.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/network_kernels.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

MlpWeights ParseMlp(const Safetensors& file, const std::string& name, size_t inputs, int64_t hidden) {
  if (hidden <= 0 || hidden % 4 != 0 || hidden > static_cast<int64_t>(kMaxHidden)) {
    throw InputError(fmt::format(
        "{}: expected a hidden layer '{}' of 4 to {} units, a multiple of 4, found {}; train the model again "
        "with 'haplospin train'",
        file.path, name, kMaxHidden, hidden));
  }
  const auto in = static_cast<int64_t>(inputs);
  return {.inputs = inputs,
          .hidden = static_cast<size_t>(hidden),
          .weight1 = file.Floats(name + ".0.weight", {hidden, in}),
          .bias1 = file.Floats(name + ".0.bias", {hidden}),
          .weight2 = file.Floats(name + ".2.weight", {hidden, hidden}),
          .bias2 = file.Floats(name + ".2.bias", {hidden}),
          .weight3 = file.Floats(name + ".4.weight", {1, hidden}),
          .bias3 = file.Floats(name + ".4.bias", {1})[0]};
}

void StoreMlp(const MlpWeights& mlp, const std::string& name, Safetensors& file) {
  const auto h = static_cast<int64_t>(mlp.hidden);
  file.tensors[name + ".0.weight"] = {{h, static_cast<int64_t>(mlp.inputs)}, mlp.weight1};
  file.tensors[name + ".0.bias"] = {{h}, mlp.bias1};
  file.tensors[name + ".2.weight"] = {{h, h}, mlp.weight2};
  file.tensors[name + ".2.bias"] = {{h}, mlp.bias2};
  file.tensors[name + ".4.weight"] = {{1, h}, mlp.weight3};
  file.tensors[name + ".4.bias"] = {{1}, std::vector<float>{mlp.bias3}};
}

}  // namespace

MlpWeights ForPanel(const MlpWeights& mlp, const PanelFeatures& panel) {
  MlpWeights result = mlp;
  result.inputs = mlp.inputs - panel.size();
  result.weight1.clear();
  for (size_t h = 0; h < mlp.hidden; ++h) {
    const float* row = &mlp.weight1[h * mlp.inputs];
    result.weight1.insert(result.weight1.end(), row, row + result.inputs);
    for (size_t k = 0; k < panel.size(); ++k) result.bias1[h] += row[result.inputs + k] * panel[k];
  }
  return result;
}

float PanelShare(const ImputerWeights& weights) { return 1 / (1 + std::exp(-weights.panel_share)); }

ImputerWeights LoadImputerWeights(const std::string& path) { return ParseImputerWeights(ReadSafetensors(path)); }

ImputerWeights ParseImputerWeights(const Safetensors& file) {
  const ModelHeader header = ParseModelHeader(file, {kImputerModel});
  CheckFiniteWeights(file);
  int64_t copy_hidden = 0, allele_hidden = 0;
  ReadConfiguration(header.configuration, file.path, [&](const nlohmann::json& json) {
    json.at("copy_hidden").get_to(copy_hidden);
    json.at("allele_hidden").get_to(allele_hidden);
  });
  const std::vector<float>& copying = file.Floats("copying", {2});
  return {.forward = copying[0],
          .backward = copying[1],
          .copy = ParseMlp(file, "copy", kNumCopyFeatures + kNumPanelFeatures, copy_hidden),
          .allele = ParseMlp(file, "allele", kNumAlleleFeatures + kNumPanelFeatures, allele_hidden),
          .panel_share = file.Floats("panel_share", {1})[0]};
}

Safetensors ToSafetensors(const ImputerWeights& weights, const Provenance& provenance,
                          const std::map<std::string, std::string>& results) {
  Safetensors file;
  file.metadata =
      ToMetadata({.kind = kImputerModel,
                  .configuration = {{"copy_hidden", weights.copy.hidden}, {"allele_hidden", weights.allele.hidden}},
                  .provenance = provenance,
                  .results = results});
  file.tensors["copying"] = {{2}, std::vector<float>{weights.forward, weights.backward}};
  file.tensors["panel_share"] = {{1}, std::vector<float>{weights.panel_share}};
  StoreMlp(weights.copy, "copy", file);
  StoreMlp(weights.allele, "allele", file);
  return file;
}

}  // namespace haplospin
