// Trained models with LibTorch's tensors: the header of core/model_header.h and tensors in one safetensors file.
#pragma once

#include <cstdint>
#include <string>

#include "core/model_header.h"
#include "learning/nn/named_tensors.h"

namespace haplospin {

struct ModelFile {
  ModelHeader header;
  NamedTensors tensors;
  std::string path;  // the file, for messages

  // A tensor that must be there with these sizes, of which -1 is any. Throws InputError otherwise.
  const torch::Tensor& At(const std::string& name, torch::IntArrayRef sizes) const;

  // Throws InputError where the file holds fewer numbers than the `min_numbers` that its configuration needs. Called
  // before a network is built, it keeps a damaged file from asking for more memory than it fills.
  void CheckHolds(double min_numbers) const;
};

// Writes the whole file or none (core/output_file.h).
void WriteModelFile(const std::string& path, const ModelHeader& header, const NamedTensors& tensors);

// Throws InputError where the file is damaged, of another kind or version, or has weights that are not finite.
ModelFile ReadModelFile(const std::string& path, const ModelKind& kind);

// Parses the content of a file. Throws as ReadModelFile().
ModelFile ParseModelFile(const Safetensors& file, const ModelKind& kind);

}  // namespace haplospin
