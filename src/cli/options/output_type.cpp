#include "cli/options/output_type.h"

#include <fmt/format.h>

#include "haplospin/errors.h"

namespace haplospin {

void AddOutputType(CommandOptions& options, std::string* letter) {
  options.AddChoice("output-type,O", letter, {"auto", "v", "z", "u", "b"},
                    "VCF, VCF.gz, uncompressed BCF or BCF; auto: by the file name extension");
}

void CheckIndexable(const std::string& command, bool write_index, const std::string& path, OutputType type) {
  if (!write_index || CanBeIndexed(path, type)) return;
  throw InputError(
      fmt::format("{}: --write-index needs VCF.gz or BCF output, and a file; {} is neither", command, path));
}

}  // namespace haplospin
