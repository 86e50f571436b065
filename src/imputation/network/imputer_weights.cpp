#include "imputation/network/imputer_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "imputation/copying/match_features.h"
#include "imputation/network/allele_features.h"
#include "imputation/network/network_kernels.h"

namespace haplospin {
namespace {

constexpr char kArchitecture[] = "haplospin-imputer";
constexpr char kVersion[] = "1";  // of features and layers; raised whenever old weights would no longer mean the same

const std::vector<float>& Weights(const Safetensors& file, const std::string& name, const std::vector<int64_t>& shape) {
  const std::vector<float>& values = file.Floats(name, shape);
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
    throw InputError(
        fmt::format("{}: the weights '{}' hold a value that is not a number; train the model anew, or "
                    "get the file again",
                    file.path, name));
  }
  return values;
}

// The hidden width is read off the file; everything else is checked against it.
MlpWeights LoadMlp(const Safetensors& file, const std::string& name, size_t inputs) {
  const auto bias = file.tensors.find(name + ".0.bias");
  const size_t hidden =
      bias == file.tensors.end() || bias->second.shape.size() != 1 ? 0 : static_cast<size_t>(bias->second.shape[0]);
  if (hidden == 0 || hidden % 4 != 0 || hidden > kMaxHidden) {
    throw InputError(
        fmt::format("{}: expected a hidden layer '{}' of 4 to {} units, a multiple of 4; train the model "
                    "anew with 'haplospin train'",
                    file.path, name, kMaxHidden));
  }
  const auto h = static_cast<int64_t>(hidden);
  const auto in = static_cast<int64_t>(inputs);
  return {.inputs = inputs,
          .hidden = hidden,
          .weight1 = Weights(file, name + ".0.weight", {h, in}),
          .bias1 = Weights(file, name + ".0.bias", {h}),
          .weight2 = Weights(file, name + ".2.weight", {h, h}),
          .bias2 = Weights(file, name + ".2.bias", {h}),
          .weight3 = Weights(file, name + ".4.weight", {1, h}),
          .bias3 = Weights(file, name + ".4.bias", {1})[0]};
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

float PanelShare(const ImputerWeights& weights) { return 1 / (1 + std::exp(-weights.panel_share)); }

bool IsImputerWeights(const Safetensors& file) {
  const auto found = file.metadata.find("architecture");
  return found != file.metadata.end() && found->second == kArchitecture;
}

ImputerWeights LoadImputerWeights(const std::string& path) {
  const Safetensors file = ReadSafetensors(path);
  if (!IsImputerWeights(file)) {
    throw InputError(
        fmt::format("{}: expected weights of the architecture '{}', found '{}'; give a file made by "
                    "'haplospin train'",
                    path, kArchitecture, file.Metadata("architecture")));
  }
  if (file.Metadata("version") != kVersion) {
    throw InputError(
        fmt::format("{}: expected weights of version {}, found version {}; train the model anew, or use the "
                    "haplospin that made it",
                    path, kVersion, file.Metadata("version")));
  }
  const std::vector<float>& copying = Weights(file, "copying", {2});
  return {.forward = copying[0],
          .backward = copying[1],
          .copy = LoadMlp(file, "copy", kNumCopyFeatures),
          .allele = LoadMlp(file, "allele", kNumAlleleFeatures),
          .panel_share = Weights(file, "panel_share", {1})[0]};
}

Safetensors ToSafetensors(const ImputerWeights& weights) {
  Safetensors file;
  file.metadata = {{"architecture", kArchitecture}, {"version", kVersion}};
  file.tensors["copying"] = {{2}, std::vector<float>{weights.forward, weights.backward}};
  file.tensors["panel_share"] = {{1}, std::vector<float>{weights.panel_share}};
  StoreMlp(weights.copy, "copy", file);
  StoreMlp(weights.allele, "allele", file);
  return file;
}

}  // namespace haplospin
