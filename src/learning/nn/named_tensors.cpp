#include "learning/nn/named_tensors.h"

#include <fmt/format.h>

#include <type_traits>
#include <variant>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::string ShapeText(const torch::Tensor& tensor) {
  std::string text = "[";
  for (const int64_t size : tensor.sizes()) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", size);
  return text + "]";
}

template <typename T>
std::vector<T> Values(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kCPU, c10::CppTypeToScalarType<T>::value).contiguous();
  const T* data = flat.data_ptr<T>();
  return std::vector<T>(data, data + flat.numel());
}

// bfloat16 and half are widened to float, bool to uint8; float, int64 and uint8 keep their type.
TensorData ToFileTensor(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach();
  TensorData result;
  result.shape = values.sizes().vec();
  switch (values.scalar_type()) {
    case torch::kFloat32:
    case torch::kBFloat16:
    case torch::kFloat16:
      result.values = Values<float>(values);
      return result;
    case torch::kInt64:
      result.values = Values<int64_t>(values);
      return result;
    default:
      HS_ASSERT(values.scalar_type() == torch::kUInt8 || values.scalar_type() == torch::kBool);
      result.values = Values<uint8_t>(values);
      return result;
  }
}

torch::Tensor ToTorchTensor(const TensorData& tensor) {
  return std::visit(
      [&](const auto& values) {
        using T = typename std::remove_cvref_t<decltype(values)>::value_type;
        // The pointer must be mutable for from_blob(), but clone() only reads.
        return torch::from_blob(const_cast<T*>(values.data()), tensor.shape, c10::CppTypeToScalarType<T>::value)
            .clone();
      },
      tensor.values);
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

void WriteTensorFile(const std::string& path, const NamedTensors& tensors,
                     const std::map<std::string, std::string>& metadata) {
  Safetensors file;
  file.metadata = metadata;
  for (const auto& [name, tensor] : tensors) file.tensors.emplace(name, ToFileTensor(tensor));
  WriteSafetensors(path, file);
}

NamedTensors FileTensors(const Safetensors& file) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : file.tensors) tensors.emplace(name, ToTorchTensor(tensor));
  return tensors;
}

int64_t ParameterCount(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace haplospin
