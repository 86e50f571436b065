// LibTorch tensors in safetensors files.
#pragma once

#include <map>
#include <string>

#include "core/safetensors.h"
#include "nn/named_tensors.h"

namespace haplospin {

// A copy of the tensor on the CPU. bfloat16 and half are converted to F32 without loss; bool becomes U8; float, int64
// and uint8 keep their type. Any other type is a bug of the caller.
Tensor ToFileTensor(const torch::Tensor& tensor);

// A copy on the CPU, of type float, int64 or uint8.
torch::Tensor ToTorchTensor(const Tensor& tensor);

// Written completely or not at all (core/output_file.h).
void WriteTensorFile(const std::string& path, const NamedTensors& tensors,
                     const std::map<std::string, std::string>& metadata = {});

// All tensors of a file, on the CPU.
NamedTensors FileTensors(const Safetensors& file);

}  // namespace haplospin
