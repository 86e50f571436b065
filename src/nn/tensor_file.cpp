#include "nn/tensor_file.h"

#include <type_traits>
#include <variant>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

template <typename T>
std::vector<T> Values(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kCPU, c10::CppTypeToScalarType<T>::value).contiguous();
  const T* data = flat.data_ptr<T>();
  return std::vector<T>(data, data + flat.numel());
}

}  // namespace

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
        // from_blob takes a mutable pointer but only reads here: clone() is what is handed on.
        return torch::from_blob(const_cast<T*>(values.data()), tensor.shape, c10::CppTypeToScalarType<T>::value)
            .clone();
      },
      tensor.values);
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

}  // namespace haplospin
