// Named tensors in a safetensors file (https://huggingface.co/docs/safetensors); reading executes no code.
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
  std::string path;  // the file that it was read from, for messages

  // The values of a required tensor with this type and shape; throws InputError if there is none.
  const std::vector<float>& Floats(const std::string& name, const std::vector<int64_t>& shape) const;
  const std::vector<uint8_t>& Bytes(const std::string& name, const std::vector<int64_t>& shape) const;

  // A required metadata entry; throws InputError if there is none.
  const std::string& Metadata(const std::string& key) const;
};

// Throws InputError if the file is missing, damaged, larger than 16 GiB, or has a type other than F32, I64 and U8.
Safetensors ReadSafetensors(const std::string& path);

// Written completely or not at all (core/output_file.h). The same tensors and metadata give the same bytes.
void WriteSafetensors(const std::string& path, const Safetensors& contents);

}  // namespace haplospin
