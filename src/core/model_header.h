// The metadata of every model file, a safetensors file: which kind of model it is, how it is configured and where it
// comes from (models/README.md). Weights are read without LibTorch where the model runs without it; nn/model_file.h
// adds LibTorch's tensors.
#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/model_kind.h"
#include "core/provenance.h"
#include "core/safetensors.h"
#include "haplospin/errors.h"

namespace haplospin {

struct ModelHeader {
  ModelKind kind;
  nlohmann::json configuration;  // complete: the model can be built and used from it
  Provenance provenance;
  std::map<std::string, std::string> results;  // results of the training, for the reader: steps, validation, ...
};

// The metadata of the model's file. `results` must not have the names that the header itself uses.
std::map<std::string, std::string> ToMetadata(const ModelHeader& header);

// The header of a model of one of the `expected` kinds, in the version that this program reads. Throws InputError,
// which names what was found, what was expected and what to do, for any other file.
ModelHeader ParseModelHeader(const Safetensors& file, std::initializer_list<ModelKind> expected);

// Throws InputError, naming the file and the tensor, where a weight is not finite.
void CheckFiniteWeights(const Safetensors& file);

// The error for a model file that contradicts itself: "its configuration cannot be read".
InputError DamagedModel(const std::string& path, const std::string& what);

// Calls read(configuration). What is missing in it, or of another type than is read, becomes a DamagedModel().
template <typename Read>
void ReadConfiguration(const nlohmann::json& configuration, const std::string& path, const Read& read) {
  try {
    read(configuration);
  } catch (const nlohmann::json::exception&) {
    throw DamagedModel(path, "its configuration cannot be read");
  }
}

}  // namespace haplospin
