// A model: safetensors with the header of models. An input that begins with "{" has no length before its JSON, which
// ends at the first zero byte.
#include "core/model_header.h"
#include "fuzz/fuzz_input.h"
#include "genotypes/imputation/models/network/imputer_weights.h"

using namespace haplospin;

namespace {

std::string WithLength(std::string_view bytes) {
  const uint64_t length = std::min(bytes.find('\0'), bytes.size());
  std::string file(reinterpret_cast<const char*>(&length), sizeof(length));
  file += bytes.substr(0, length);
  return file.append(bytes.substr(std::min<size_t>(length + 1, bytes.size())));
}

}  // namespace

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("model", bytes.starts_with("{") ? WithLength(bytes) : std::string(bytes));
  AcceptInputErrors([&] {
    const Safetensors file = ReadSafetensors(path);
    ParseModelHeader(file, {kImputerModel, {"tabular", 5, "a tabular model", "haplospin tabular train"}});
    ParseImputerWeights(file);
  });
}
