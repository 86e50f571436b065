#include "core/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/output_file.h"
#include "haplospin/errors.h"

// The file: an 8-byte little-endian length, a JSON header of that length, then the tensors' bytes. The header maps each
// name to {"dtype", "shape", "data_offsets": [begin, end]} with offsets into those bytes, and "__metadata__" to
// strings.
namespace haplospin {
namespace {

using Json = nlohmann::json;
using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeaderBytes = uint64_t{4} << 20;
constexpr uint64_t kMaxFileBytes = uint64_t{16} << 30;
constexpr char kMetadataKey[] = "__metadata__";

[[noreturn]] void Damaged(const std::string& path, const std::string& what) {
  throw InputError(fmt::format("{} is not a complete safetensors file: {}; copy or create it again", path, what));
}

struct Entry {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

uint64_t TypeBytes(const std::string& path, const Entry& entry) {
  if (entry.type == "F32") return sizeof(float);
  if (entry.type == "I64") return sizeof(int64_t);
  if (entry.type == "U8") return sizeof(uint8_t);
  throw InputError(fmt::format("{}: tensor {} has type {}, but F32, I64 or U8 is expected; convert it", path,
                               entry.name, entry.type));
}

// Number of elements times their size, or nothing if that overflows.
std::optional<uint64_t> ByteCount(const std::vector<int64_t>& shape, uint64_t element_bytes) {
  uint64_t bytes = element_bytes;
  for (const int64_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<uint64_t>::max() / static_cast<uint64_t>(extent)) return {};
    bytes *= static_cast<uint64_t>(extent);
  }
  return bytes;
}

std::optional<uint64_t> AsUnsigned(const Json& value) {
  if (!value.is_number_unsigned()) return {};
  const auto number = value.get<uint64_t>();
  if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return {};
  return number;
}

Entry ParseEntry(const std::string& path, const std::string& name, const Json& json) {
  const auto fail = [&] { Damaged(path, fmt::format("its header has an invalid description of tensor '{}'", name)); };
  if (!json.is_object() || !json.contains("dtype") || !json["dtype"].is_string() || !json.contains("shape") ||
      !json["shape"].is_array() || !json.contains("data_offsets") || !json["data_offsets"].is_array() ||
      json["data_offsets"].size() != 2) {
    fail();
  }
  Entry entry{.name = name, .type = json["dtype"].get<std::string>()};
  for (const Json& extent : json["shape"]) {
    const auto number = AsUnsigned(extent);
    if (!number) fail();
    entry.shape.push_back(static_cast<int64_t>(*number));
  }
  const auto begin = AsUnsigned(json["data_offsets"][0]);
  const auto end = AsUnsigned(json["data_offsets"][1]);
  if (!begin || !end) fail();
  entry.begin = *begin;
  entry.end = *end;
  return entry;
}

// Tensors must be contiguous and end at the end of the file: no byte belongs to two tensors or to none.
void CheckLayout(const std::string& path, std::vector<Entry>& entries, uint64_t data_bytes) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  uint64_t position = 0;
  for (const Entry& entry : entries) {
    const auto bytes = ByteCount(entry.shape, TypeBytes(path, entry));
    if (!bytes || entry.begin != position || entry.end < entry.begin || entry.end - entry.begin != *bytes) {
      Damaged(path, fmt::format("the offsets of tensor '{}' do not match its shape", entry.name));
    }
    position = entry.end;
  }
  if (position != data_bytes) {
    Damaged(path, fmt::format("its header describes {} bytes of tensors, but {} follow", position, data_bytes));
  }
}

template <typename T>
std::vector<T> ReadValues(std::ifstream& file, const std::string& path, uint64_t bytes) {
  std::vector<T> values(bytes / sizeof(T));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
  if (!file) Damaged(path, "it ends early");
  return values;
}

TensorData ReadTensor(std::ifstream& file, const std::string& path, const Entry& entry) {
  const uint64_t bytes = entry.end - entry.begin;
  if (entry.type == "F32") return {entry.shape, ReadValues<float>(file, path, bytes)};
  if (entry.type == "I64") return {entry.shape, ReadValues<int64_t>(file, path, bytes)};
  return {entry.shape, ReadValues<uint8_t>(file, path, bytes)};
}

uint64_t RegularFileSize(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError(fmt::format("{}: no such file", path));
  if (!std::filesystem::is_regular_file(path, error)) throw InputError(fmt::format("{} is not a regular file", path));
  const uint64_t size = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("cannot read {}: {}", path, error.message()));
  if (size > kMaxFileBytes) throw InputError(fmt::format("{} is larger than 16 GiB; give a file with weights", path));
  return size;
}

Json ReadHeader(std::ifstream& file, const std::string& path, uint64_t file_bytes, uint64_t* data_bytes) {
  uint64_t length = 0;
  if (file_bytes < kLengthBytes) Damaged(path, fmt::format("it has {} bytes", file_bytes));
  file.read(reinterpret_cast<char*>(&length), kLengthBytes);
  if (!file || length > file_bytes - kLengthBytes || length > kMaxHeaderBytes) {
    Damaged(path, "its first 8 bytes are not the length of the header");
  }
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  if (!file) Damaged(path, "it ends early");
  Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) Damaged(path, "its header is not a JSON object");
  *data_bytes = file_bytes - kLengthBytes - length;
  return header;
}

std::map<std::string, std::string> ParseMetadata(const std::string& path, const Json& json) {
  if (!json.is_object()) Damaged(path, "its metadata is not a JSON object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) Damaged(path, fmt::format("its metadata entry '{}' is not text", key));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

template <typename T>
constexpr const char* kTypeName = nullptr;
template <>
constexpr const char* kTypeName<float> = "F32";
template <>
constexpr const char* kTypeName<int64_t> = "I64";
template <>
constexpr const char* kTypeName<uint8_t> = "U8";

const char* TypeName(const TensorData& tensor) {
  return std::visit([]<typename T>(const std::vector<T>&) { return kTypeName<T>; }, tensor.values);
}

std::string_view TensorBytes(const TensorData& tensor) {
  return std::visit(
      []<typename T>(const std::vector<T>& values) {
        return std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
      },
      tensor.values);
}

template <typename T>
const std::vector<T>& CheckedValues(const Safetensors& contents, const std::string& name,
                                    const std::vector<int64_t>& shape) {
  const auto found = contents.tensors.find(name);
  if (found == contents.tensors.end()) {
    throw InputError(
        fmt::format("{}: tensor {} is missing; the file is of another model or version", contents.path, name));
  }
  const auto* values = std::get_if<std::vector<T>>(&found->second.values);
  if (values == nullptr || found->second.shape != shape) {
    throw InputError(fmt::format(
        "{}: tensor {} is {} [{}], but {} [{}] is expected; the file is of another model or version", contents.path,
        name, TypeName(found->second), fmt::join(found->second.shape, ", "), kTypeName<T>, fmt::join(shape, ", ")));
  }
  return *values;
}

}  // namespace

const std::vector<float>& Safetensors::Floats(const std::string& name, const std::vector<int64_t>& shape) const {
  return CheckedValues<float>(*this, name, shape);
}

const std::vector<uint8_t>& Safetensors::Bytes(const std::string& name, const std::vector<int64_t>& shape) const {
  return CheckedValues<uint8_t>(*this, name, shape);
}

const std::string& Safetensors::Metadata(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) {
    throw InputError(
        fmt::format("{}: metadata entry {} is missing; the file is of another model or version", path, key));
  }
  return found->second;
}

Safetensors ReadSafetensors(const std::string& path) {
  const uint64_t file_bytes = RegularFileSize(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  Safetensors contents{.path = path};
  uint64_t data_bytes = 0;
  std::vector<Entry> entries;
  const Json header = ReadHeader(file, path, file_bytes, &data_bytes);
  for (const auto& [name, json] : header.items()) {
    if (name == kMetadataKey) {
      contents.metadata = ParseMetadata(path, json);
    } else {
      entries.push_back(ParseEntry(path, name, json));
    }
  }
  CheckLayout(path, entries, data_bytes);
  for (const Entry& entry : entries) contents.tensors[entry.name] = ReadTensor(file, path, entry);
  return contents;
}

void WriteSafetensors(const std::string& path, const Safetensors& contents) {
  // The widest type first, so that every tensor is aligned.
  std::vector<std::pair<std::string, const TensorData*>> order;
  order.reserve(contents.tensors.size());
  for (const auto& [name, tensor] : contents.tensors) order.emplace_back(name, &tensor);
  const auto element_bytes = [](const TensorData& tensor) {
    return std::visit([]<typename T>(const std::vector<T>&) { return sizeof(T); }, tensor.values);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return element_bytes(*a.second) > element_bytes(*b.second); });

  ordered_json header = ordered_json::object();
  if (!contents.metadata.empty()) header[kMetadataKey] = contents.metadata;
  uint64_t position = 0;
  for (const auto& [name, tensor] : order) {
    const uint64_t bytes = TensorBytes(*tensor).size();
    HS_ASSERT(ByteCount(tensor->shape, element_bytes(*tensor)) == bytes);
    header[name] = {
        {"dtype", TypeName(*tensor)}, {"shape", tensor->shape}, {"data_offsets", {position, position + bytes}}};
    position += bytes;
  }
  // A command line in the metadata need not be UTF-8, and must not fail here after hours of training.
  std::string text = header.dump(-1, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  HS_ASSERT(length <= kMaxHeaderBytes);

  OutputFile file(path);
  file.Write(std::string_view(reinterpret_cast<const char*>(&length), kLengthBytes));
  file.Write(text);
  for (const auto& [name, tensor] : order) file.Write(TensorBytes(*tensor));
  file.Commit();
}

}  // namespace haplospin
