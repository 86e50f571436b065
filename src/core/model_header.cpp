#include "core/model_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "core/parse_number.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

struct KindEntry {
  ModelKind kind;
  const char* name;     // name in files
  int version;          // raised whenever older files would no longer mean the same
  const char* title;    // name in messages
  const char* command;  // command that makes such a file
};

constexpr KindEntry kKinds[] = {
    {ModelKind::kImputer, "imputer", 3, "an imputer model", "haplospin train"},
    {ModelKind::kToken, "token", 1, "a token model", "haplospin train --arch spin"},
    {ModelKind::kTabular, "tabular", 5, "a tabular model", "haplospin tabular train"},
    {ModelKind::kNeuralProcess, "neural-process", 1, "a neural process model", "haplospin np train"},
};

constexpr char kMarker[] = "haplospin-model";
constexpr char kFormat[] = "format", kKind[] = "kind", kVersionKey[] = "version", kConfiguration[] = "configuration",
               kProgram[] = "haplospin", kCommand[] = "command", kData[] = "data", kDate[] = "date", kSeed[] = "seed";
constexpr const char* kHeaderKeys[] = {kFormat,  kKind, kVersionKey, kConfiguration, kProgram,
                                       kCommand, kData, kDate,       kSeed};

const KindEntry& EntryOf(ModelKind kind) { return *std::ranges::find(kKinds, kind, &KindEntry::kind); }

bool HasMarker(const Safetensors& file) {
  const auto format = file.metadata.find(kFormat);
  return format != file.metadata.end() && format->second == kMarker;
}

// The entry of the kind that a file says it is; null where it is not a model or one of an unknown kind.
const KindEntry* KindOf(const Safetensors& file) {
  if (!HasMarker(file)) return nullptr;
  const auto* found = std::ranges::find(kKinds, std::string_view(file.Metadata(kKind)), &KindEntry::name);
  return found == std::end(kKinds) ? nullptr : found;
}

[[noreturn]] void FailKind(const Safetensors& file, const KindEntry* found, std::initializer_list<ModelKind> expected) {
  std::vector<std::string> wanted;
  for (const ModelKind kind : expected) {
    wanted.push_back(fmt::format("{} (made by '{}')", EntryOf(kind).title, EntryOf(kind).command));
  }
  std::string is = "a safetensors file without the header of a haplospin model";
  std::string remedy = "give such a file, or train the model again if an earlier haplospin made it";
  if (found != nullptr) {
    is = fmt::format("{} (made by '{}')", found->title, found->command);
    remedy = "give such a file";
  } else if (HasMarker(file)) {
    is = fmt::format("a model of the unknown kind '{}'", file.Metadata(kKind));
    remedy = "give such a file, or use the haplospin that made it";
  }
  throw InputError(fmt::format("{}: found {}, but expected {}; {}", file.path, is, fmt::join(wanted, " or "), remedy));
}

void CheckVersion(const Safetensors& file, const KindEntry& kind) {
  const std::string& version = file.Metadata(kVersionKey);
  if (version == std::to_string(kind.version)) return;
  throw InputError(
      fmt::format("{}: found {} of version {} (made by haplospin {}), but expected version {}; train the model again "
                  "with haplospin {}, or use the haplospin that made it",
                  file.path, kind.title, version, file.Metadata(kProgram), kind.version, kVersion));
}

}  // namespace

std::map<std::string, std::string> ToMetadata(const ModelHeader& header) {
  const KindEntry& kind = EntryOf(header.kind);
  std::map<std::string, std::string> metadata = header.results;
  for (const char* key : kHeaderKeys) HS_ASSERT(!metadata.contains(key));
  metadata[kFormat] = kMarker;
  metadata[kKind] = kind.name;
  metadata[kVersionKey] = std::to_string(kind.version);
  metadata[kConfiguration] = header.configuration.dump();
  metadata[kProgram] = header.provenance.haplospin;
  metadata[kCommand] = header.provenance.command;
  metadata[kData] = header.provenance.data;
  metadata[kDate] = header.provenance.date;
  metadata[kSeed] = std::to_string(header.provenance.seed);
  return metadata;
}

ModelHeader ParseModelHeader(const Safetensors& file, std::initializer_list<ModelKind> expected) {
  const KindEntry* kind = KindOf(file);
  if (kind == nullptr || std::ranges::find(expected, kind->kind) == expected.end()) FailKind(file, kind, expected);
  CheckVersion(file, *kind);
  ModelHeader header{.kind = kind->kind,
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
