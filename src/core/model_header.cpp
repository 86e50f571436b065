#include "core/model_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/parse_number.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

constexpr char kMarker[] = "haplospin-model";
constexpr char kFormat[] = "format", kKind[] = "kind", kVersionKey[] = "version", kConfiguration[] = "configuration",
               kProgram[] = "haplospin", kCommand[] = "command", kData[] = "data", kDate[] = "date", kSeed[] = "seed";
constexpr const char* kHeaderKeys[] = {kFormat,  kKind, kVersionKey, kConfiguration, kProgram,
                                       kCommand, kData, kDate,       kSeed};

bool HasMarker(const Safetensors& file) {
  const auto format = file.metadata.find(kFormat);
  return format != file.metadata.end() && format->second == kMarker;
}

[[noreturn]] void FailKind(const Safetensors& file, std::initializer_list<ModelKind> expected) {
  std::vector<std::string> wanted;
  for (const ModelKind& kind : expected) wanted.push_back(fmt::format("{} (made by '{}')", kind.title, kind.command));
  std::string is = "a safetensors file without the header of a haplospin model";
  std::string remedy = "give such a file, or train the model again if an earlier haplospin made it";
  if (HasMarker(file)) {
    is = fmt::format("a model of the kind '{}'", file.Metadata(kKind));
    remedy = "give such a file, or use the haplospin that made it";
  }
  throw InputError(fmt::format("{}: found {}, but expected {}; {}", file.path, is, fmt::join(wanted, " or "), remedy));
}

void CheckVersion(const Safetensors& file, const ModelKind& kind) {
  const std::string& version = file.Metadata(kVersionKey);
  if (version == std::to_string(kind.version)) return;
  throw InputError(
      fmt::format("{}: found {} of version {} (made by haplospin {}), but expected version {}; train the model again "
                  "with haplospin {}, or use the haplospin that made it",
                  file.path, kind.title, version, file.Metadata(kProgram), kind.version, kVersion));
}

}  // namespace

std::map<std::string, std::string> ToMetadata(const ModelHeader& header) {
  std::map<std::string, std::string> metadata = header.results;
  for (const char* key : kHeaderKeys) HS_ASSERT(!metadata.contains(key));
  metadata[kFormat] = kMarker;
  metadata[kKind] = header.kind.name;
  metadata[kVersionKey] = std::to_string(header.kind.version);
  metadata[kConfiguration] = header.configuration.dump();
  metadata[kProgram] = header.provenance.haplospin;
  metadata[kCommand] = header.provenance.command;
  metadata[kData] = header.provenance.data;
  metadata[kDate] = header.provenance.date;
  metadata[kSeed] = std::to_string(header.provenance.seed);
  return metadata;
}

ModelHeader ParseModelHeader(const Safetensors& file, std::initializer_list<ModelKind> expected) {
  if (!HasMarker(file)) FailKind(file, expected);
  const auto* kind = std::ranges::find(expected, std::string_view(file.Metadata(kKind)), &ModelKind::name);
  if (kind == expected.end()) FailKind(file, expected);
  CheckVersion(file, *kind);
  ModelHeader header{.kind = *kind,
                     .configuration = nlohmann::json::parse(file.Metadata(kConfiguration), nullptr,
                                                            /*allow_exceptions=*/false),
                     .provenance = {.haplospin = file.Metadata(kProgram),
                                    .command = file.Metadata(kCommand),
                                    .data = file.Metadata(kData),
                                    .date = file.Metadata(kDate)},
                     .results = file.metadata};
  if (!header.configuration.is_object()) throw DamagedModel(file.path, "its configuration is not a JSON object");
  const auto seed = ParseNumber<uint64_t>(file.Metadata(kSeed));
  if (!seed) throw DamagedModel(file.path, fmt::format("its seed is '{}', not a number", file.Metadata(kSeed)));
  header.provenance.seed = *seed;
  for (const char* key : kHeaderKeys) header.results.erase(key);
  return header;
}

void CheckFiniteWeights(const Safetensors& file) {
  for (const auto& [name, tensor] : file.tensors) {
    const auto* values = std::get_if<std::vector<float>>(&tensor.values);
    if (values == nullptr || std::ranges::all_of(*values, [](float value) { return std::isfinite(value); })) continue;
    throw DamagedModel(file.path, fmt::format("tensor '{}' holds a value that is not finite", name));
  }
}

InputError DamagedModel(const std::string& path, const std::string& what) {
  return InputError(fmt::format("{}: {}; get the file again, or train the model again", path, what));
}

}  // namespace haplospin
