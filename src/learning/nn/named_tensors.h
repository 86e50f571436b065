// Named tensors: the state of modules, optimizers and random generators, and their safetensors files.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <map>
#include <string>

#include "core/safetensors.h"

namespace haplospin {

using NamedTensors = std::map<std::string, torch::Tensor>;

// The parameters and buffers of a module by their dotted names. The tensors are the module's own, not copies.
NamedTensors ModuleState(const torch::nn::Module& module);

// Throws InputError, naming `source` (a file) and the tensor, if a saved tensor is missing, unexpected, or has another
// shape.
void CheckSameNamesAndShapes(const NamedTensors& own, const NamedTensors& saved, const std::string& source);

// Copies saved values into `own`, tensor by tensor, after that check.
void CopyNamedTensors(const NamedTensors& own, const NamedTensors& saved, const std::string& source);

// Copies saved values into a module, after that check.
void LoadModuleState(torch::nn::Module& module, const NamedTensors& saved, const std::string& source);

// The entries whose names start with `prefix`, without it.
NamedTensors WithoutPrefix(const NamedTensors& tensors, const std::string& prefix);

// Adds `added` to `tensors` with `prefix` before each name.
void InsertWithPrefix(NamedTensors& tensors, const std::string& prefix, const NamedTensors& added);

// Writes a safetensors file completely or not at all. Tensors of bfloat16 and half are widened to float, of bool to
// uint8; other types than float, int64 and uint8 are a bug of the caller.
void WriteTensorFile(const std::string& path, const NamedTensors& tensors,
                     const std::map<std::string, std::string>& metadata = {});

// Copies of the tensors of a file, on the CPU.
NamedTensors FileTensors(const Safetensors& file);

// Number of values in a module's parameters.
int64_t ParameterCount(const torch::nn::Module& module);

}  // namespace haplospin
