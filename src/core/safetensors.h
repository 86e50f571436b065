// Named tensors in a safetensors file (https://huggingface.co/docs/safetensors), read without executing anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace haplospin {

struct TensorData {
  std::vector<int64_t> shape;
  std::variant<std::vector<float>, std::vector<int64_t>, std::vector<uint8_t>> values;  // F32, I64, U8; row-major
};

struct Safetensors {
  std::map<std::string, TensorData> tensors;
  std::map<std::string, std::string> metadata;
  std::string path;  // where it was read from, for messages

  // The values of a tensor that must be there with this type and shape; throws InputError otherwise.
  const std::vector<float>& Floats(const std::string& name, const std::vector<int64_t>& shape) const;
  const std::vector<int64_t>& Integers(const std::string& name, const std::vector<int64_t>& shape) const;
  const std::vector<uint8_t>& Bytes(const std::string& name, const std::vector<int64_t>& shape) const;

  // A metadata entry that must be there; throws InputError otherwise.
  const std::string& Metadata(const std::string& key) const;
};

// Throws InputError where the file is missing, damaged, larger than 16 GiB, or holds a type other than F32, I64 and U8.
Safetensors ReadSafetensors(const std::string& path);

// Written whole or not at all (core/output_file.h). The same tensors and metadata give the same bytes.
void WriteSafetensors(const std::string& path, const Safetensors& contents);

}  // namespace haplospin
