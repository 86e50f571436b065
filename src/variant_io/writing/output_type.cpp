#include "variant_io/writing/output_type.h"

#include <filesystem>
#include <system_error>

#include "haplospin/errors.h"

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
  if (path.ends_with(".vcf.gz") || path.ends_with(".vcf.bgz")) return OutputType::kVcfGz;
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  const bool is_stream =
      path == "-" || (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular);
  if (path.ends_with(".vcf") || is_stream) return OutputType::kVcf;
  throw InputError(path +
                   ": the name does not say which format to write; end it with .vcf, .vcf.gz or .bcf, or give "
                   "--output-type");
}

bool IsBcf(OutputType resolved) { return resolved == OutputType::kBcf || resolved == OutputType::kBcfUncompressed; }

bool IsCompressed(OutputType resolved) { return resolved == OutputType::kVcfGz || resolved == OutputType::kBcf; }

bool CanBeIndexed(const std::string& path, OutputType type) {
  return path != "-" && IsCompressed(ResolveOutputType(path, type));
}

}  // namespace haplospin
