#include "nn/named_tensors.h"

#include <fmt/format.h>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::string ShapeText(const torch::Tensor& tensor) {
  std::string text = "[";
  for (const int64_t size : tensor.sizes()) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", size);
  return text + "]";
}

}  // namespace

NamedTensors ModuleState(const torch::nn::Module& module) {
  NamedTensors state;
  for (const auto& item : module.named_parameters()) state.emplace(item.key(), item.value());
  for (const auto& item : module.named_buffers()) state.emplace(item.key(), item.value());
  return state;
}

void LoadModuleState(torch::nn::Module& module, const NamedTensors& saved, const std::string& source) {
  CopyNamedTensors(ModuleState(module), saved, source);
}

void CheckSameNamesAndShapes(const NamedTensors& own, const NamedTensors& saved, const std::string& source) {
  for (const auto& [name, tensor] : own) {
    const auto found = saved.find(name);
    if (found == saved.end()) {
      throw InputError(
          fmt::format("{}: tensor '{}' is missing; the file belongs to another architecture", source, name));
    }
    if (found->second.sizes() != tensor.sizes()) {
      throw InputError(
          fmt::format("{}: tensor '{}' has shape {}, expected {}; the file belongs to another configuration", source,
                      name, ShapeText(found->second), ShapeText(tensor)));
    }
  }
  for (const auto& [name, tensor] : saved) {
    if (!own.contains(name)) {
      throw InputError(
          fmt::format("{}: tensor '{}' is not expected; the file belongs to another architecture", source, name));
    }
  }
}

void CopyNamedTensors(const NamedTensors& own, const NamedTensors& saved, const std::string& source) {
  CheckSameNamesAndShapes(own, saved, source);
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : own) torch::Tensor(tensor).copy_(saved.at(name));
}

NamedTensors WithoutPrefix(const NamedTensors& tensors, const std::string& prefix) {
  NamedTensors found;
  for (auto at = tensors.lower_bound(prefix); at != tensors.end() && at->first.starts_with(prefix); ++at) {
    found.emplace(at->first.substr(prefix.size()), at->second);
  }
  return found;
}

void InsertWithPrefix(NamedTensors& tensors, const std::string& prefix, const NamedTensors& added) {
  for (const auto& [name, tensor] : added) tensors.emplace(prefix + name, tensor);
}

int64_t ParameterCount(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace haplospin
