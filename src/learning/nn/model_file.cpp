#include "learning/nn/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "learning/nn/named_tensors.h"

namespace haplospin {

const torch::Tensor& ModelFile::At(const std::string& name, torch::IntArrayRef sizes) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw DamagedModel(path, fmt::format("tensor '{}' is missing", name));
  const torch::IntArrayRef own = found->second.sizes();
  const auto fits = [](int64_t expected, int64_t size) { return expected == -1 || expected == size; };
  if (!std::ranges::equal(sizes, own, fits)) {
    throw DamagedModel(path, fmt::format("tensor '{}' has the shape [{}], but [{}] is expected", name,
                                         fmt::join(own, ", "), fmt::join(sizes, ", ")));
  }
  return found->second;
}

void ModelFile::CheckHolds(double min_numbers) const {
  int64_t held = 0;
  for (const auto& [name, tensor] : tensors) held += tensor.numel();
  if (static_cast<double>(held) >= min_numbers) return;
  throw DamagedModel(
      path, fmt::format("its configuration needs at least {:.0f} numbers, but it holds {}", min_numbers, held));
}

void WriteModelFile(const std::string& path, const ModelHeader& header, const NamedTensors& tensors) {
  WriteTensorFile(path, tensors, ToMetadata(header));
}

ModelFile ReadModelFile(const std::string& path, const ModelKind& kind) {
  return ParseModelFile(ReadSafetensors(path), kind);
}

ModelFile ParseModelFile(const Safetensors& file, const ModelKind& kind) {
  ModelFile model{.header = ParseModelHeader(file, {kind}), .tensors = {}, .path = file.path};
  CheckFiniteWeights(file);
  model.tensors = FileTensors(file);
  return model;
}

}  // namespace haplospin
