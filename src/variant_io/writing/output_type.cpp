#include "variant_io/writing/output_type.h"

namespace haplospin {

OutputType ParseOutputType(std::string_view letter) {
  if (letter == "v") return OutputType::kVcf;
  if (letter == "z") return OutputType::kVcfGz;
  if (letter == "u") return OutputType::kBcfUncompressed;
  if (letter == "b") return OutputType::kBcf;
  return OutputType::kByExtension;
}

OutputType ResolveOutputType(const std::string& path, OutputType type) {
  if (type != OutputType::kByExtension) return type;
  if (path.ends_with(".bcf")) return OutputType::kBcf;
  if (path.ends_with(".gz") || path.ends_with(".bgz")) return OutputType::kVcfGz;
  return OutputType::kVcf;
}

bool IsBcf(OutputType resolved) { return resolved == OutputType::kBcf || resolved == OutputType::kBcfUncompressed; }

bool IsCompressed(OutputType resolved) { return resolved == OutputType::kVcfGz || resolved == OutputType::kBcf; }

bool CanBeIndexed(const std::string& path, OutputType type) {
  return path != "-" && IsCompressed(ResolveOutputType(path, type));
}

}  // namespace haplospin
